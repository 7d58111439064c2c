"""Smart Game Format FF[4]: any text to trees of nodes with properties, and back; what they mean is not known here.

A tree keeps its nodes in one sequence, each after its parent, depth first, so that nothing here is recursive and a
game may have any number of moves and variations. The values of properties stay as they are between the brackets, with
their escapes: only who knows the property knows whether a colon divides it.

    (;A(;B;C)(;D))      nodes     A B C D
                        parents   - 0 1 0
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn

from meeple.errors import RecordError
from meeple.games.game import shown

NO_PARENT = -1
MAX_BYTES = 1 << 26
LINE_LENGTH = 72

VALUE = r"(?:[^\]\\]|\\.)*+"
TOKEN = re.compile(rf"\s*+(?:(?P<mark>[();])|(?P<name>[A-Za-z][A-Za-z0-9]*+)|\[(?P<value>{VALUE})\])", re.DOTALL)
NEWLINE = r"(?:\r\n|\n\r|\n|\r)"

CHARSETS = re.compile(r"ascii|us-ascii|big5|cp125|euc|gb|iso|koi8|latin|shift|sjis|windows", re.IGNORECASE)

FOLLOWS = {"(": ";", ";": ";()n", "n": "v", "v": ";()nv", ")": "()"}
"""What may come after a mark, a name (n) or a value (v)."""
NAMES = {"n": "a property", "v": "a value in brackets"}


@dataclass(frozen=True)
class Node:
    """Properties by name, each with its values as they are in the file, and the place of the node there."""

    properties: Mapping[str, tuple[str, ...]]
    parent: int = NO_PARENT
    line: int = field(default=0, compare=False)
    column: int = field(default=0, compare=False)

    def get(self, name: str, default: str = "") -> str:
        """The first value of a property as simple text."""
        values = self.properties.get(name)
        return simple_text(values[0]) if values else default


@dataclass(frozen=True)
class Tree:
    """The nodes of a game, the root first, each after its parent, depth first."""

    nodes: tuple[Node, ...]

    def main_line(self) -> list[Node]:
        """The root and the first child of each."""
        line = [0]
        for index, node in enumerate(self.nodes):
            if node.parent == line[-1] and index:
                line.append(index)
        return [self.nodes[index] for index in line]


def simple_text(value: str) -> str:
    """A value as text on one line."""
    return re.sub(r"\s", " ", _unescape(value))


def text(value: str) -> str:
    """A value as text of several lines."""
    return re.sub(r"[^\S\n]", " ", re.sub(NEWLINE, "\n", _unescape(value)))


def escape(value: str) -> str:
    """A text as a value; colons too, for composed values."""
    return re.sub(r"([\]\\:])", r"\\\1", value)


def _unescape(value: str) -> str:
    return re.sub(rf"\\(?:{NEWLINE}|(.))", lambda found: found.group(1) or "", value, flags=re.DOTALL)


def load(path: Path) -> list[Tree]:
    """The trees of a file; RecordError says where it is wrong."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > MAX_BYTES:
        raise RecordError(f"{path} is larger than {MAX_BYTES >> 20} MB")
    return parse(decode(content), str(path))


def decode(content: bytes) -> str:
    """The text of a file: in UTF-8, or else in the charset that it names, or else in the standard's Latin 1."""
    named = re.search(rb"CA\s*\[\s*([\w.:-]{1,40})\s*\]", content)
    charset = named.group(1).decode("latin-1") if named else ""
    for encoding in ("utf-8-sig", charset if CHARSETS.match(charset) else "latin-1"):
        try:
            return content.decode(encoding)
        except (LookupError, UnicodeError):
            continue
    return content.decode("latin-1")


def parse(content: str, name: str = "SGF") -> list[Tree]:
    """The trees of a text; what stands before the first is left out."""
    start = re.search(r"\(\s*;", content)
    if start is None:
        raise RecordError(f"{name}: there is no game in it; a game in SGF begins with (;")
    return _Parser(content, name).parse(start.start())


class _Parser:
    def __init__(self, content: str, name: str) -> None:
        self._content = content
        self._name = name
        self._lines = [0, *(found.end() for found in re.finditer(NEWLINE, content))]

    def parse(self, offset: int) -> list[Tree]:
        trees: list[Tree] = []
        nodes: list[_Growing] = []
        branches: list[int] = []  # the node before each open parenthesis
        node, last = NO_PARENT, ")"
        values: list[str] = []
        while found := TOKEN.match(self._content, offset):
            kind = found["mark"] or ("v" if found["name"] is None else "n")
            start = found.end() - len(found.group().lstrip())
            if kind not in FOLLOWS[last] or (kind == ")" and not branches):
                self._refuse(start, found.group().strip(), last)
            if kind == "(":
                branches.append(node)
            elif kind == ";":
                nodes.append(_Growing(node, start, {}))
                node = len(nodes) - 1
            elif kind == "n":
                values = nodes[node].properties.setdefault(self._short(found["name"], start), [])
            elif kind == "v":
                values.append(found["value"])
            else:
                node = branches.pop()
                if not branches:
                    trees.append(self._grown(nodes))
                    nodes = []
            last, offset = kind, found.end()
        self._end(offset, bool(branches))
        return trees

    def _short(self, name: str, offset: int) -> str:
        """The name of a property; small letters in it are an old ornament."""
        short = re.sub("[a-z]", "", name)
        if not short or not short[0].isalpha():
            self._fail(offset, f"{shown(name)} is no name of a property: those are capitals")
        return short

    def _grown(self, nodes: Sequence[_Growing]) -> Tree:
        return Tree(
            tuple(
                Node({name: tuple(values) for name, values in node.properties.items()}, node.parent, *place)
                for node, place in ((node, self._place(node.offset)) for node in nodes)
            )
        )

    def _refuse(self, offset: int, found: str, last: str) -> NoReturn:
        expected = [NAMES.get(kind, kind) for kind in FOLLOWS[last]]
        self._fail(offset, f"{shown(found, 16)} where {' or '.join(expected)} was expected")

    def _end(self, offset: int, is_open: bool) -> None:
        """Refuse whatever is left of the text."""
        left = self._content[offset:]
        rest = left.strip("\0\x1a \t\r\n\v\f")
        offset += left.find(rest)
        if rest.startswith("["):
            self._fail(offset, "a value is not closed: there is no ] after it")
        if rest:
            self._fail(offset, f"{shown(rest, 16)} is not SGF")
        if is_open:
            self._fail(offset, "the text ends before the game does: a parenthesis is not closed")

    def _fail(self, offset: int, message: str) -> NoReturn:
        line, column = self._place(offset)
        raise RecordError(f"{self._name}:{line}:{column}: {message}")

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1


class _Growing(NamedTuple):
    """A node that is being read."""

    parent: int
    offset: int
    properties: dict[str, list[str]]


def write(trees: Iterable[Tree]) -> str:
    """The text of trees; RecordError where they cannot be written."""
    return "".join(_write_tree(tree) for tree in trees)


def _write_tree(tree: Tree) -> str:
    children: list[list[int]] = [[] for _ in tree.nodes]
    for index, node in enumerate(tree.nodes):
        if not (0 <= node.parent < index or index == 0 == node.parent + 1):
            raise RecordError(f"node {index} of a tree must come after its parent, not have parent {node.parent}")
        if index:
            children[node.parent].append(index)
    if not children:
        raise RecordError("a tree has at least one node")
    lines = [""]
    waiting: list[int | str] = [")", 0, "("]
    while waiting:
        item = waiting.pop()
        word = item if isinstance(item, str) else _write_node(tree.nodes[item])
        if len(lines[-1]) + len(word) > LINE_LENGTH and lines[-1] and lines[-1][-1] != "(":
            lines.append("")
        lines[-1] += word
        if isinstance(item, int):
            branches = children[item]
            for child in reversed(branches):
                waiting += [")", child, "("] if len(branches) > 1 else [child]
    return "\n".join(lines) + "\n"


def _write_node(node: Node) -> str:
    for name, values in node.properties.items():
        if not re.fullmatch("[A-Z][A-Z0-9]*", name) or not values:
            raise RecordError(f"a property has a name in capitals and a value, unlike {shown(name)}")
        for value in values:
            if not re.fullmatch(VALUE, value, re.DOTALL):
                raise RecordError(f"{shown(value)} is no value of {name}: it must be escaped")
    return ";" + "".join(name + "".join(f"[{value}]" for value in values) for name, values in node.properties.items())
