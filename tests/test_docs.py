"""The pages: their commands run and print what they show, their code runs, their tables and links are right."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import meeple
import meeple.bridges.players  # adds its kinds of players
from meeple.cli.app import app
from meeple.games.perft import levels
from meeple.games.table import TABLE
from meeple.play.players import MAKERS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/meeple"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")])
GAME_PAGES = sorted((ROOT / "docs/games").glob("*.md"))
NUMBERS = ["game", "actions", "planes", "symmetries", "words", "max plies"]

# A block that is tested has a comment above it: `run` for commands or Python, `file: NAME` for a file they need.
BLOCK = re.compile(r"^<!-- (run|file: (\S+)) -->\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
ANY = "…"
"""In shown output: any lines where it stands alone, else any text."""


class Block(NamedTuple):
    """A block of a page that is tested."""

    file: str
    """The name to save it under; nothing where it is run."""
    language: str
    text: str


class Command(NamedTuple):
    """A command as a page shows it, with what it prints."""

    line: str
    output: str


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def blocks(page: Path) -> list[Block]:
    found = BLOCK.finditer(read(page))
    return [Block(match[2] or "", match[3], match[4]) for match in found]


def commands(block: Block) -> Iterator[Command]:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        yield Command(line, output)


def pattern(shown: str) -> str:
    """A regular expression of all that the shown output stands for."""
    lines = [
        r"(?:.*\n)*?" if line.strip() == ANY else re.escape(line).replace(ANY, ".*") + r"\n"
        for line in shown.splitlines()
    ]
    return "".join(lines)


def run(command: list[str], folder: Path) -> str:
    """What a command prints; it must succeed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=99,
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


def run_block(block: Block, folder: Path) -> None:
    if block.file:
        (folder / block.file).write_text(block.text, encoding="utf-8")
    elif block.language == "python":
        run([sys.executable, "-c", block.text], folder)
    else:
        for command in commands(block):
            printed = run(["sh", "-c", command.line], folder)
            assert re.fullmatch(pattern(command.output), printed), f"{command.line} prints\n{printed}"


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=page_id)
def test_what_is_marked_runs_and_prints_what_is_shown(page, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    for block in blocks(page):
        run_block(block, tmp_path)


def test_the_pages_that_promise_tested_blocks_have_them():
    languages = {page_id(page): {block.language for block in blocks(page)} for page in PAGES}
    assert languages["README.md"] == languages["CONTRIBUTING.md"] == {"console", "python"}
    assert all(languages[page_id(page)] for page in GAME_PAGES)


def test_every_marker_stands_above_a_block():
    for page in PAGES:
        markers = re.findall(r"^<!-- (?:run|file)", read(page), re.MULTILINE)
        assert len(markers) == len(blocks(page)), page


def test_the_worked_example_is_a_sound_game(tmp_path):
    (example,) = [block for block in blocks(ROOT / "CONTRIBUTING.md") if block.file]
    file = tmp_path / example.file
    file.write_text(example.text, encoding="utf-8")
    found = meeple.check(meeple.game(str(file)), games=200)
    assert (found.games, found.symmetries) == (200, 8)


def table(page: Path, head: list[str]) -> list[list[str]]:
    """The rows of the first table of a page that begins with this head."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in read(page).splitlines()]
    start = next((number for number, row in enumerate(rows) if row[: len(head)] == head), len(rows))
    found = []
    for row in rows[start + 2 :]:
        if len(row) < len(head):
            break
        found.append(row)
    return found


def numbers(name: str) -> list[int]:
    game = meeple.game(name)
    return [game.num_actions, game.shape[0], len(game.symmetries), game.num_words, game.max_plies]


@pytest.mark.parametrize("page", GAME_PAGES, ids=page_id)
def test_the_numbers_of_a_game_are_those_of_the_code(page):
    rows = table(page, NUMBERS)
    assert rows
    for name, *shown in rows:
        assert [int(number) for number in shown] == numbers(name.strip("`")), name


def test_every_game_has_a_page_with_its_usual_size():
    assert {row[0].strip("`") for page in GAME_PAGES for row in table(page, NUMBERS)} >= TABLE.keys()


def test_the_readme_lists_every_game_with_its_options():
    rows = table(ROOT / "README.md", ["game", "sizes", "a move", "options"])
    listed = {re.search(r"`(\w+)`", row[0])[1]: set(re.findall(r"`(\w+)=", row[3])) for row in rows}
    assert listed == {name: set(entry.options) for name, entry in TABLE.items()}


def test_the_readme_lists_every_verb_and_every_kind_of_player():
    verbs = [match for row in table(ROOT / "README.md", ["verb", "does"]) for match in re.findall(r"`(\w+)", row[0])]
    registered = [command.name for command in app.registered_commands] + [group.name for group in app.registered_groups]
    assert set(verbs) == set(registered)
    kinds = [re.match(r"`(\w+)", row[0])[1] for row in table(ROOT / "README.md", ["spec", "plays by", "options"])]
    assert sorted(kinds) == sorted(MAKERS)


def test_the_page_of_learning_lists_every_finding_of_the_doctor():
    rows = table(ROOT / "docs/learning.md", ["finding", "what is wrong"])
    named = re.findall(r'Finding\(\s*"([\w-]+)"', read(PACKAGE / "learn/doctor.py"))
    assert [row[0].strip("`") for row in rows] == named


def test_shown_counts_are_perft():
    """Every row `game | sequences or positions | 1, 4, 12` of the results."""
    rows = table(ROOT / "docs/results.md", ["game", "what", "at plies 0, 1, 2, …"])
    assert len(rows) > 5
    for name, what, shown, *_ in rows:
        expected = [int(number.replace(",", "")) for number in shown.split(", ")]
        field = {"sequences": "paths", "positions": "positions", "finished": "finished"}[what]
        counted = levels(meeple.game(name.strip("`")), len(expected) - 1)
        assert [getattr(count, field) for count in counted] == expected, name


def slug(heading: str) -> str:
    """The anchor that a heading gets: small letters, hyphens for spaces, no other signs."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", read(page), re.MULTILINE)}


def broken_links(page: Path) -> list[str]:
    """Links to files that are not there, and to headings that their page has not."""
    broken = []
    for link in LINK.findall(FENCED.sub("", read(page))):
        target, _, anchor = link.partition("#")
        file = page.parent / target if target else page
        is_elsewhere = re.match(r"[a-z]+:", link)
        if not is_elsewhere and not (file.exists() and (not anchor or anchor in anchors(file))):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_leads_somewhere(page):
    assert broken_links(page) == []


def test_finds_broken_links(tmp_path):
    (tmp_path / "there.md").write_text("# Two words: here\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](there.md) [b](there.md#two-words-here) [c](gone.md) [d](there.md#gone) [e](https://example.org/)\n"
        "```\n[f](fenced.md)\n```\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["gone.md", "there.md#gone"]


def test_the_architecture_page_names_every_file():
    """Data by folder and kind: `recipes/*.toml`."""
    listed = [row[0].strip("`") for row in table(ROOT / "docs/architecture.md", ["file", "what it is for"])]
    files = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    code = {file.as_posix() for file in files if file.name != "__init__.py" or file.parent == Path()}
    data = {file.as_posix() for file in files if file.suffix in (".toml", ".safetensors")}
    expected = (code - data) | {f"{Path(file).parent}/*{Path(file).suffix}" for file in data}
    assert sorted(listed) == sorted(expected)


def test_output_is_compared_line_by_line():
    shown = pattern("first\n…\n 3 …\n")
    assert re.fullmatch(shown, "first\nsecond\n 3 more\n")
    assert re.fullmatch(shown, "first\n 3 \n")
    assert not re.fullmatch(shown, "second\n 3 more\n")
    assert not re.fullmatch(shown, "first\n 3 more\nand more\n")


def test_tables_end_where_they_end(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("| a | b |\n|---|---|\n| `1` | 2 |\n\n| 3 | 4 |\n", encoding="utf-8")
    assert table(page, ["a", "b"]) == [["`1`", "2"]]
    assert table(page, ["c"]) == []
