"""SGF: any text to trees and back, and the dialects of the games' programs."""

import logging
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import meeple
from meeple.errors import MeepleError, RecordError
from meeple.play.records import Record
from meeple.protocols import record_to_sgf, sgf, sgf_to_record
from meeple.protocols.sgf import Node, Tree

# Trees.

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
raw = st.lists(st.sampled_from(["a", "b", ":", " ", "\n", "\r", "(", ";", ")", "[", "\\]", "\\\\", "é", "\\\n"])).map(
    "".join
)
properties = st.dictionaries(
    st.from_regex("[A-Z]{1,3}[0-9]?", fullmatch=True), st.lists(raw, min_size=1, max_size=3).map(tuple), max_size=3
)


@st.composite
def trees(draw):
    """A random tree, its nodes depth first."""
    nodes = [Node(draw(properties))]
    path = [0]  # from the root to the last node
    for _ in range(draw(st.integers(0, 12))):
        parent = draw(st.sampled_from(path))
        del path[path.index(parent) + 1 :]
        nodes.append(Node(draw(properties), parent))
        path.append(len(nodes) - 1)
    return Tree(tuple(nodes))


@given(st.lists(trees(), min_size=1, max_size=3))
def test_what_is_written_is_read(collection):
    assert sgf.parse(sgf.write(collection)) == collection


@given(st.text("(;)[]\\\nABab1 :", max_size=60) | st.text())
def test_garbage_is_refused_in_one_line(content):
    for prefix in ("", "(;", "(;A["):
        try:
            trees = sgf.parse(prefix + content, "here")
        except RecordError as error:
            message = str(error)
            assert message.startswith("here:"), message
            assert "\n" not in message
        else:
            assert sgf.parse(sgf.write(trees)) == trees


@given(text)
def test_a_text_comes_back_from_a_value(words):
    value = sgf.escape(words)
    assert sgf.simple_text(value) == "".join(" " if letter.isspace() else letter for letter in words)
    (tree,) = sgf.parse(sgf.write([Tree((Node({"C": (value,)}),))]))
    assert tree.nodes[0].properties["C"] == (value,)


@pytest.mark.parametrize(
    ("value", "simple", "lines"),
    [
        (r"a\]b\\c\:d\e", r"a]b\c:de", r"a]b\c:de"),
        ("one\\\ntwo", "onetwo", "onetwo"),
        ("one\\\r\ntwo\\\n\rthree", "onetwothree", "onetwothree"),
        ("one\ntwo\tthree", "one two three", "one\ntwo three"),
        ("one\r\ntwo\rthree", "one  two three", "one\ntwo\nthree"),
        ("", "", ""),
    ],
)
def test_escapes_and_white_space(value, simple, lines):
    assert sgf.simple_text(value) == simple
    assert sgf.text(value) == lines


def test_variations_collections_and_unknown_properties():
    content = (
        "mail header\n( ;FF[4]\n XX [1] [2:3]Comment[x](;B[aa];W[bb](;B[cc])(;B[dd]))\n(;B[ee]) )\n(;B[ff])\r\n\x1a"
    )
    first, second = sgf.parse(content)
    assert [node.parent for node in first.nodes] == [-1, 0, 1, 2, 2, 0]
    assert first.nodes[0].properties == {"FF": ("4",), "XX": ("1", "2:3"), "C": ("x",)}
    assert [node.get("B") + node.get("W") for node in first.main_line()] == ["", "aa", "bb", "cc"]
    assert second.nodes[0].get("B") == "ff"
    assert (first.nodes[4].line, first.nodes[4].column) == (3, 46)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "SGF: there is no game in it"),
        ("hello", "SGF: there is no game in it"),
        ("(;B[aa]", "SGF:1:8: the text ends before the game does"),
        ("(;B[aa]\n;W[bb\\]", "SGF:2:3: a value is not closed"),
        ("(;B;W[aa])", "SGF:1:4: ';' where a value in brackets was expected"),
        ("(;[aa])", r"SGF:1:3: '\[aa\]' where ; or \( or \) or a property was expected"),
        ("(;B[aa]))", r"SGF:1:9: '\)' where"),
        ("(;B[aa](;W[bb]);B[cc])", "SGF:1:16: ';' where"),
        ("(;B[aa]()", r"SGF:1:9: '\)' where ; was expected"),
        ("(;black[aa])", "SGF:1:3: 'black' is no name"),
        ("(;B[aa]) and more", "SGF:1:10: 'and' where"),
        ("(;B[aa]%)", "SGF:1:8: '%\\)' is not SGF"),
    ],
)
def test_what_is_wrong_with_a_text(content, fault):
    with pytest.raises(RecordError, match=fault):
        sgf.parse(content)


@pytest.mark.parametrize(
    "nodes",
    [
        (),
        (Node({}, 0),),
        (Node({}), Node({}, 2), Node({}, 0)),
        (Node({"b": ("a",)}),),
        (Node({"B": ()}),),
        (Node({"B": ("]",)}),),
        (Node({"B": ("\\",)}),),
    ],
)
def test_trees_that_cannot_be_written(nodes):
    with pytest.raises(RecordError):
        sgf.write([Tree(nodes)])


def test_deep_and_long_texts():
    for content in ("(;" * 20_000 + ")" * 20_000, "(" + ";B[aa]" * 20_000 + ")"):
        (tree,) = sgf.parse(content)
        assert len(tree.main_line()) == len(tree.nodes) >= 20_000
        assert sgf.parse(sgf.write([tree])) == [tree]
    for content in ("(;" * 50_000, "(;A[" + "\\x" * 300_000, "(;" + "A" * 500_000, "(" * 100_000 + ";"):
        with pytest.raises(RecordError):
            sgf.parse(content)


@pytest.mark.parametrize(
    "content",
    [
        "(;PB[é])".encode(),
        b"\xef\xbb\xbf" + "(;PB[é])".encode(),
        "(;PB[é])".encode("latin-1"),
        "(;CA[windows-1252]PB[é])".encode("cp1252"),
        "(;CA[gb18030]PB[é])".encode("gb18030"),
        "(;CA[nonsense]PB[é])".encode("latin-1"),
        "(;CA[unicode_escape]PB[é])".encode("latin-1"),
    ],
)
def test_charsets(content, tmp_path):
    (tmp_path / "game.sgf").write_bytes(content)
    (tree,) = sgf.load(tmp_path / "game.sgf")
    assert tree.nodes[0].get("PB") == "é"


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(RecordError, match="cannot read"):
        sgf.load(tmp_path / "nothing.sgf")
    monkeypatch.setattr(sgf, "MAX_BYTES", 10)
    (tmp_path / "game.sgf").write_bytes(b"(;B[aa]C[long])")
    with pytest.raises(RecordError, match="larger than"):
        sgf.load(tmp_path / "game.sgf")


# Games.


def read(content):
    (tree,) = sgf.parse(content)
    return sgf_to_record.read(tree)


def random_record(game, seed):
    """A random game, left early in one of three."""
    chance = random.Random(seed)
    position, length = game.start(), chance.choice([chance.randrange(12), 1000, 1000])
    while position.result is None and position.plies < length:
        position = position.play(chance.choice(position.moves))
    result = chance.choice([None, 1, 0, -1]) if position.result is None else position.result
    names = chance.sample(["mcts:100?c=1.4", r"a]\:[b", "Ærø", "net:run@best"], 2)
    return Record(game=game.name, players=tuple(names), moves=position.history, result=result)


@pytest.mark.parametrize(
    "name",
    [
        "hex:2", "hex:5", "hex:4?swap=1", "hex:11?swap=1", "othello", "othello:4", "othello:6", "othello:10",
        "gomoku:5", "gomoku:15", "gomoku:9?exact=1", "mnk:7x5x5", "mnk:5x7x5?exact=1",
        "go:3", "go:9", "go:5?komi=0.5", "go:4?komi=-3&suicide=1",
    ],
)  # fmt: skip
def test_random_games_come_back(name):
    game = meeple.game(name)
    assert record_to_sgf.is_known(game)
    games = [random_record(game, seed) for seed in range(8)]
    content = record_to_sgf.write(games, game)
    assert [sgf_to_record.read(tree) for tree in sgf.parse(content)] == games


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "dots:2", "mnk:4x4x4"])
def test_games_that_sgf_does_not_have(name):
    game = meeple.game(name)
    assert not record_to_sgf.is_known(game)
    with pytest.raises(RecordError, match="SGF has no"):
        record_to_sgf.tree(random_record(game, 1), game)


def test_passes_and_results_are_written():
    game = meeple.game("othello:4")
    records = [random_record(game, seed) for seed in range(30)]
    content = record_to_sgf.write(records, game)
    assert "[PA]" in content
    assert "AB[c2][b3]AW[b2][c3]PL[B]" in content
    won = meeple.game("gomoku:5").read("a1 a2 b1 b2 c1 c2 d1 d2 e1")
    record = Record(game="gomoku:5", players=("a", "b"), moves=won.history, result=1, time="2026-11-02T10:00:00")
    content = record_to_sgf.write([record], won.game)
    assert "RE[B+]" in content
    assert "DT[2026-11-02]" in content
    assert ";B[ae];W[ad]" in content


def test_hex_in_its_own_notation():
    record = read("(;FF[4]GM[11]SZ[5]PB[Ann]PW[Bob]RE[W+];B[A1];W[e5]\n;B[c3](;W[d4])(;W[d5]))")
    assert (record.game, record.players, record.result) == ("hex:5", ("Ann", "Bob"), -1)
    assert record.moves == ("a1", "e5", "c3", "d4")
    assert record.where == "SGF:1:2"


def test_hex_in_letters_as_hexgui_reads_it():
    assert read("(;GM[11]SZ[5];B[ab];W[ec])").moves == ("a2", "e3")


def test_a_move_in_the_root_and_the_usual_size():
    record = read("(;GM[11]B[k11])")
    assert (record.game, record.moves) == ("hex:11", ("k11",))


def test_swapping_pieces():
    record = read("(;GM[11]SZ[5];B[a3];W[swap-pieces];B[b4])")
    assert (record.game, record.moves) == ("hex:5?swap=1", ("a3", "swap-pieces", "b4"))


@pytest.mark.parametrize(
    "start", ["GM[11]SZ[5];B[a3];W[swap-sides]", "GM[11]SZ[5]AP[HexGui:0.9.GIT];B[a3];W[swap-pieces]"]
)
def test_swapping_sides_is_read_as_swapping_pieces_on_the_mirrored_board(start):
    """Black's stone stays, the second player owns it now, and the first goes on as White."""
    record = read(f"(;{start};W[b4];B[e1]RE[B+])")
    assert record.moves == ("a3", "swap-pieces", "d2", "a5")
    position = record.end(record.load_game())
    assert position.game.pieces(position.state).reshape(5, 5).T.tolist() == [
        [0, 0, 0, 0, 2],
        [0, 0, 0, 0, 0],
        [2, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]
    assert read(f"(;RE[B+]{start};W[b4])").result == -1


def test_later_versions_of_hexgui_mean_what_they_say():
    for version in ("0.10.1", "1.0"):
        assert read(f"(;GM[11]SZ[5]AP[HexGui:{version}];B[a3];W[swap-pieces];B[b4])").moves[-1] == "b4"


@pytest.mark.parametrize(("move", "result"), [("B[resign]", -1), ("B[Forfeit]", -1)])
def test_giving_up(move, result):
    record = read(f"(;GM[11]SZ[5];B[a3];W[b4];{move})")
    assert (record.moves, record.result) == (("a3", "b4"), result)
    with pytest.raises(RecordError, match=r"SGF:1:\d+: there are moves after the game was given up"):
        read(f"(;GM[11]SZ[5];B[a3];W[b4];{move};W[c3])")


def test_othello_as_edax_writes_it():
    record = read("(;FF[4]GM[2]SZ[8]AB[e4][d5]AW[d4][e5]PL[B]RE[B+8]PB[Edax];B[f5];W[d6];B[c3])")
    assert (record.game, record.moves, record.result) == ("othello", ("f5", "d6", "c3"), 1)


def test_othello_in_letters():
    assert read("(;GM[2]SZ[8];B[fe];W[df];B[cc])").moves == ("f5", "d6", "c3")
    assert read("(;GM[2];AB[dd:dd]B[fe])".replace("AB[dd:dd]", "")).game == "othello"


def test_othello_with_and_without_passes():
    game = meeple.game("othello:4")
    with_passes = [record for record in (random_record(game, seed) for seed in range(60)) if len(record.moves) > 8]
    content = record_to_sgf.write(with_passes, game)
    for word in ("", "pa", "PASS", "--", "tt"):
        again = [sgf_to_record.read(tree).moves for tree in sgf.parse(content.replace("PA", word))]
        assert again == [record.moves for record in with_passes]
    without = content.replace(";B[PA]", "").replace(";W[PA]", "")
    assert len(without) < len(content)
    assert [sgf_to_record.read(tree).moves for tree in sgf.parse(without)] == again
    with pytest.raises(RecordError, match="SGF:1:22: a pass by a player who must move"):
        read("(;GM[2]SZ[8];B[f5]    ;W[PA])".replace("    ", "   "))


def test_gomoku():
    record = read("(;FF[4]GM[4]SZ[15]RU[Standard]RE[0];B[hh];W[ha];B[ao])")
    assert (record.game, record.moves, record.result) == ("gomoku:15?exact=1", ("h8", "h15", "a1"), 0)
    assert read("(;GM[4];B[aa])").game == "gomoku:15"
    assert read("(;GM[4]SZ[7:5]RU[Renju];B[ga])").moves == ("g5",)


def test_go():
    record = read("(;GM[1]SZ[9]KM[5.5]RE[W+R];B[ia];W[ai];B[tt];W[])")
    assert (record.game, record.moves) == ("go:9?komi=5.5", ("J9", "A1", "pass", "pass"))
    assert read("(;SZ[5];B[aa];W[];B[];W[])").moves == ("A5", "pass", "pass")
    assert read("(;SZ[5]RU[NZ])").game == "go:5?suicide=1"


def test_the_moves_decide_where_a_result_is_wrong(caplog):
    record = read("(;GM[4]SZ[5]RE[W+R];B[aa];W[ab];B[ba];W[bb];B[ca];W[cb];B[da];W[db];B[ea])")
    assert record.result == 1
    assert "RE is 'w+r', but the moves say otherwise" in caplog.text


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("(;GM[40])", "GM is '40'; known are"),
        ("(;GM[x])", "GM is 'x'"),
        ("(;GM[11]SZ[0])", "no such size"),
        ("(;GM[11]SZ[1:1:1])", "SZ must be a size such as 11 or 13:11"),
        ("(;GM[11]SZ[13:11])", "SZ is 13:11: this game needs a square board"),
        ("(;GM[1])", "no such size"),
        ("(;GM[1]SZ[9]KM[much])", "komi"),
        ("(;GM[1]SZ[9]HA[2]AB[cc][gg])", "games with a handicap are not read"),
        ("(;GM[1]SZ[9]AB[cc])", "stones are set up"),
        ("(;GM[2]AB[e4][d5]AW[d4][e6])", "stones are set up"),
        ("(;GM[2]AB[e4])", "stones are set up"),
        ("(;GM[2];B[f5];AB[e4][d5]AW[d4][e5])", "stones are set up"),
        ("(;GM[11]SZ[5]PL[W])", "it is the other player's turn"),
        ("(;GM[11]SZ[5];W[a1])", r"W\[a1\]: it is the other player's turn"),
        ("(;GM[11]SZ[5];B[a1][a2])", "it is the other player's turn"),
        ("(;GM[11]SZ[5];B[f1])", "'f1' is beyond the board of 5 columns and 5 rows"),
        ("(;GM[11]SZ[5];B[pass])", "'pass' is not a point"),
        ("(;GM[11]SZ[5];B[a1];W[a1])", "SGF:1:20: a1 is illegal"),
        ("(;GM[11]SZ[5];B[swap-pieces])", "swap-pieces is illegal"),
        ("(;GM[4]SZ[5];B[])", "'' is not a point"),
        ("(;GM[4]SZ[5];B[h8])", "'h8' is not a point"),
        ("(;GM[1]SZ[5];B[];W[];B[aa])", "the game is over"),
    ],
)
def test_games_that_are_refused(content, fault):
    with pytest.raises(RecordError, match=fault) as refused:
        read(content)
    assert str(refused.value).startswith("SGF:1:")
    assert "\n" not in str(refused.value)


names = st.sampled_from(["GM", "SZ", "B", "W", "AB", "AW", "PL", "RE", "KM", "HA", "RU", "AP", "PB"])
words = st.sampled_from(
    ["", "1", "2", "4", "11", "5", "9", "5:7", "a1", "aa", "bb", "c3", "tt", "pa", "swap-pieces", "swap-sides",
     "resign", "B+", "B", "W", "0", "swap", "nz", "HexGui:0.9", "0.5", "-1", "e4", "٣", "a²"]
)  # fmt: skip


@given(
    st.sampled_from(["1", "2", "4", "11"]),
    st.lists(st.dictionaries(names, st.lists(words | text, min_size=1, max_size=2), max_size=3), max_size=6),
)
def test_any_tree_is_a_game_or_refused(number, nodes):
    logging.disable(logging.WARNING)
    header = Node({"GM": (number,), "SZ": ("5",) if number != "2" else ("6",)})
    line = [
        Node({name: tuple(map(sgf.escape, values)) for name, values in node.items()}, index)
        for index, node in enumerate(nodes)
    ]
    try:
        record = sgf_to_record.read(Tree((header, *line)))
    except MeepleError as error:
        assert isinstance(error, RecordError)  # noqa: PT017 - some trees are games
    else:
        end = record.end(record.load_game())
        assert end.history == record.moves
    finally:
        logging.disable(logging.NOTSET)
