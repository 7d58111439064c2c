"""The house rules that a machine can check: which room imports which, what an import drags in, names and sizes."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"

# Lowest first. A room imports from lower levels only; rooms that are linked may also import one another.
LEVELS = (
    {"errors", "files", "kernel", "settings"},
    {"games"},
    {"nets", "search", "solve"},
    {"play"},
    {"judge", "learn"},
    {"bridges", "protocols", "server"},
    {"cli", "__init__", "__main__"},
)
LINKED_LEVELS = (0, 2, 6)
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}

# Only these may import inside a function: the door and the command line for start-up time.
LATE_ROOMS = LEVELS[6]
LATE_PACKAGES = {
    *(("bridges", name) for name in ("jax", "mctx", "open_spiel", "pgx", "pyspiel")),
    *(("nets", name) for name in ("onnxruntime", "openvino")),
}  # an extra, which need not be installed, or heavy

HEAVY = ("onnxruntime", "openvino", "pyspiel", "torch")
TORCH_MODULES = (
    "meeple.nets.network",
    "meeple.nets.torch_runtime",
    "meeple.learn.",
)  # learning needs it, playing does not

MAX_LINES = 500
LONG_MODULES: dict[str, str] = {}  # path from the root: why it is one idea nevertheless
EMPTY_NAMES = {"base", "common", "core", "env", "helpers", "utils"}

# A folder that belongs to one person or one machine. Web addresses with such a folder in them do not count.
MACHINE_PATH = re.compile(r"(?<![\w.~*])/(?:home|root|work|Users)/[\w.]|[A-Za-z]:\\+Users\\")


class Import(NamedTuple):
    importer: str
    target: str
    line: int
    is_late: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.target}"


def modules(source: Path) -> dict[str, Path]:
    """Every module under a source folder, by its full name."""
    return {module_name(path.relative_to(source)): path for path in sorted((source / "meeple").rglob("*.py"))}


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def imports(source: Path) -> list[Import]:
    """Every import statement under a source folder; imports of our own modules are resolved to the module."""
    known = modules(source)
    return [
        Import(name, resolve(target, known), line, is_late)
        for name, path in known.items()
        for target, line, is_late in statements(name, path)
    ]


def statements(name: str, path: Path) -> Iterator[tuple[str, int, bool]]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    late = {node for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        for target in imported_names(node, package):
            yield target, node.lineno, node in late


def imported_names(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        origin = resolve_name("." * node.level + (node.module or ""), package)
        return [f"{origin}.{alias.name}" for alias in node.names]
    return []


def resolve(target: str, known: Iterable[str]) -> str:
    """The module that a dotted name belongs to, or the name itself where it is not ours."""
    owners = [name for name in known if f"{target}.".startswith(f"{name}.")]
    return max(owners, key=len, default=target)


def room(module: str) -> str:
    return f"{module}.__init__".split(".")[1]


def is_ours(module: str) -> bool:
    return module.split(".")[0] == "meeple"


def may_import(importer: str, target: str) -> bool:
    if importer == target:
        return True
    above, below = LEVEL[importer], LEVEL[target]
    return below < above or (below == above and above in LINKED_LEVELS)


def strangers(source: Path) -> list[str]:
    """Rooms that no level lists."""
    return sorted({room(name) for name in modules(source)} - LEVEL.keys())


def climbing_imports(source: Path) -> list[str]:
    """Imports of a higher room, or of another room on the same level that is not linked."""
    ours = [found for found in imports(source) if is_ours(found.target)]
    return [str(found) for found in ours if not may_import(room(found.importer), room(found.target))]


def late_imports(source: Path) -> list[str]:
    """Imports inside functions where they are not allowed."""
    late = [found for found in imports(source) if found.is_late and room(found.importer) not in LATE_ROOMS]
    return [str(found) for found in late if (room(found.importer), found.target.split(".")[0]) not in LATE_PACKAGES]


def module_cycle(source: Path) -> list[str]:
    """Modules that import one another in a ring, or nothing."""
    return cycle((found.importer, found.target) for found in imports(source) if not found.is_late)


def room_cycle(source: Path) -> list[str]:
    """Rooms that import one another in a ring, or nothing."""
    ours = [found for found in imports(source) if is_ours(found.target) and not found.is_late]
    edges = [(room(found.importer), room(found.target)) for found in ours]
    return cycle((importer, target) for importer, target in edges if importer != target)


def cycle(edges: Iterable[tuple[str, str]]) -> list[str]:
    graph = defaultdict(set)
    for importer, target in edges:
        graph[importer].add(target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


IMPORT_EACH = """
import importlib, sys
source, heavy, *names = sys.argv[1:]
sys.path.insert(0, source)
unseen = set(heavy.split())
for name in names:
    importlib.import_module(name)
    for package in sorted(unseen & sys.modules.keys()):
        print(name, "loads", package)
        unseen.remove(package)
"""


def heavy_loads(source: Path) -> list[str]:
    """Heavy packages that importing every module but those that learn brings in, with the first to do so."""
    names = [name for name in modules(source) if not name.endswith("__main__") and not name.startswith(TORCH_MODULES)]
    command = [sys.executable, "-c", IMPORT_EACH, str(source), " ".join(HEAVY), *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def tracked_files(root: Path) -> list[Path]:
    """The files in git, and those that would be with the next `git add`."""
    listing = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(listing, cwd=root, capture_output=True, text=True, check=True)
    return [root / name for name in done.stdout.split("\0") if name and (root / name).is_file()]


def machine_paths(files: Iterable[Path]) -> list[str]:
    """Lines that name a folder of one machine."""
    return [
        f"{path}:{number}: {line.strip()[:120]}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="ignore").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]


def python_files(root: Path) -> list[Path]:
    return sorted(path for folder in ("src", "tests") for path in (root / folder).rglob("*.py"))


def long_modules(root: Path) -> set[str]:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in python_files(root)}
    return {path.relative_to(root).as_posix() for path, length in lengths.items() if length > MAX_LINES}


def empty_names(root: Path) -> list[str]:
    """Modules and packages whose name says nothing."""
    paths = [path.relative_to(root).with_suffix("") for path in python_files(root)]
    return [path.as_posix() for path in paths if EMPTY_NAMES.intersection(path.parts)]


def test_every_room_has_a_level():
    assert strangers(SOURCE) == []


def test_no_room_imports_a_higher_one():
    assert climbing_imports(SOURCE) == []


def test_imports_inside_functions_only_where_start_up_time_needs_them():
    assert late_imports(SOURCE) == []


def test_no_import_cycles():
    assert module_cycle(SOURCE) == []
    assert room_cycle(SOURCE) == []


def test_importing_everything_loads_nothing_heavy():
    assert heavy_loads(SOURCE) == []


def test_no_file_names_a_folder_of_one_machine():
    assert machine_paths(tracked_files(ROOT)) == []


def test_long_modules_are_listed_with_a_reason():
    assert long_modules(ROOT) == LONG_MODULES.keys()


def test_no_module_has_an_empty_name():
    assert empty_names(ROOT) == []


# The checks themselves, on small made-up trees.


def write(root: Path, files: dict[str, str]) -> Path:
    """Write a made-up tree, with an `__init__.py` in every package; gives its root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for package in takewhile(lambda parent: parent != root, path.parents):
            (package / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("importer", "statement"),
    [
        ("games/hex", "import meeple.search.puct"),
        ("games/hex", "from meeple.search import puct"),
        ("games/hex", "from meeple.search.puct import search"),
        ("games/hex", "from ..search.puct import search"),
        ("games/hex", "if True:\n    from ..search import puct"),
        ("games/hex", "import meeple"),
        ("games/hex", "from meeple import game"),
        ("kernel", "from .search import puct"),
        ("search/__init__", "from ..play import match"),
        ("learn/run", "from meeple.judge import ratings"),
        ("server/api", "from meeple.protocols import gtp"),
    ],
)
def test_finds_an_import_of_a_higher_room(tmp_path, importer, statement):
    rooms = ("search/puct", "play/match", "judge/ratings", "protocols/gtp")
    write(tmp_path, {f"meeple/{module}.py": "" for module in rooms})
    write(tmp_path, {f"meeple/{importer}.py": statement})
    assert len(climbing_imports(tmp_path)) == 1


def test_accepts_imports_of_lower_and_linked_rooms(tmp_path):
    tree = {
        "meeple/__init__.py": "from meeple.games import hex\ndef main():\n    from meeple.cli import main",
        "meeple/kernel.py": "import numpy\nfrom meeple import errors",
        "meeple/errors.py": "",
        "meeple/games/hex.py": "from meeple.kernel import jit\nfrom . import board",
        "meeple/games/board.py": "",
        "meeple/search/puct.py": "from meeple.games.hex import game",
        "meeple/solve/proof.py": "from meeple.search import puct",
        "meeple/cli/main.py": "def main():\n    from meeple import solve",
    }
    write(tmp_path, tree)
    assert climbing_imports(tmp_path) == []
    assert late_imports(tmp_path) == []
    assert module_cycle(tmp_path) == []
    assert room_cycle(tmp_path) == []


def test_finds_a_room_without_a_level(tmp_path):
    write(tmp_path, {"meeple/attic/box.py": "", "meeple/games/hex.py": ""})
    assert strangers(tmp_path) == ["attic"]


def test_finds_imports_inside_functions(tmp_path):
    late = "class Player:\n    async def choose(self):\n        if True:\n            import {}"
    tree = {
        "meeple/play/match.py": late.format("json"),
        "meeple/bridges/openspiel.py": late.format("pyspiel") + late.format("torch").replace("class", "\nclass"),
        "meeple/cli/play.py": late.format("json"),
    }
    write(tmp_path, tree)
    assert late_imports(tmp_path) == ["meeple.bridges.openspiel:8 imports torch", "meeple.play.match:4 imports json"]


def test_finds_a_cycle_of_modules(tmp_path):
    tree = {
        "meeple/games/hex.py": "from . import board",
        "meeple/games/board.py": "from .symmetry import turn",
        "meeple/games/symmetry.py": "from meeple.games.hex import game",
    }
    write(tmp_path, tree)
    assert set(module_cycle(tmp_path)) == {"meeple.games.hex", "meeple.games.board", "meeple.games.symmetry"}


def test_finds_a_cycle_of_rooms(tmp_path):
    tree = {
        "meeple/search/puct.py": "from meeple.solve import proof",
        "meeple/search/forest.py": "",
        "meeple/solve/proof.py": "",
        "meeple/solve/endings.py": "from meeple.search import forest",
    }
    write(tmp_path, tree)
    assert module_cycle(tmp_path) == []
    assert set(room_cycle(tmp_path)) == {"search", "solve"}


def test_finds_what_loads_a_heavy_package(tmp_path):
    tree = {
        "torch.py": "",
        "pyspiel.py": "",
        "meeple/nets/heads.py": "import torch",
        "meeple/nets/network.py": "import torch",
        "meeple/learn/learner.py": "from meeple.nets import network",
        "meeple/bridges/openspiel.py": "def load():\n    import pyspiel",
    }
    assert heavy_loads(write(tmp_path, tree)) == ["meeple.nets.heads loads torch"]


def test_a_module_that_does_not_import_fails_with_its_error(tmp_path):
    write(tmp_path, {"meeple/games/hex.py": "import a_package_that_nobody_has"})
    with pytest.raises(AssertionError, match="a_package_that_nobody_has"):
        heavy_loads(tmp_path)


@pytest.mark.parametrize("folder", ["home/ann", "Users/ann", "root/.ssh", "work/main"])
def test_finds_a_folder_of_one_machine(tmp_path, folder):
    write(tmp_path, {"notes.md": f"first line\nsee /{folder}/notes"})
    assert len(machine_paths([tmp_path / "notes.md"])) == 1


def test_accepts_other_paths(tmp_path):
    lines = "src/work/x", "https://example.org/home/x", "~/work/x", "/usr/share/games", "win/draw/loss"
    write(tmp_path, {"notes.md": "\n".join(lines)})
    assert machine_paths([tmp_path / "notes.md"]) == []


def test_finds_untracked_files_and_leaves_out_ignored_ones(tmp_path):
    write(tmp_path, {".gitignore": "runs/", "new.txt": "", "runs/games.txt": ""})
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    assert {path.name for path in tracked_files(tmp_path)} == {".gitignore", "new.txt"}


def test_finds_a_long_module(tmp_path):
    write(tmp_path, {"src/meeple/kernel.py": "\n" * MAX_LINES, "src/meeple/errors.py": "\n" * (MAX_LINES + 1)})
    assert long_modules(tmp_path) == {"src/meeple/errors.py"}


def test_finds_an_empty_name(tmp_path):
    write(tmp_path, {"src/meeple/games/utils.py": "", "tests/common/hex.py": "", "src/meeple/games/hex.py": ""})
    assert set(empty_names(tmp_path)) == {"src/meeple/games/utils", "tests/common/__init__", "tests/common/hex"}
