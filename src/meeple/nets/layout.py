"""How a network meets its game: the grid it sees, where its logits go, and the shapes of weights that follow."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from meeple.games.game import Game
from meeple.nets.architecture import Architecture, Positive
from meeple.settings import Part


class Layout(Part):
    """What a network needs to know of a game; the same for all games that it could play without other weights."""

    planes: Positive
    """How many planes it sees."""
    rows: Positive
    """Their rows."""
    columns: Positive
    """Their columns."""
    num_actions: Positive
    """How many logits it gives."""
    action_sites: tuple[int, ...]
    """Where each action sits in a stack of boards of that grid: (channel, row, column) flattened, -1 beside them."""
    has_margin: bool
    """Whether games end with a score difference."""
    board_rows: Positive
    """Rows of the board, whose cells have owners."""
    board_columns: Positive
    """Its columns."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if len(self.action_sites) != self.num_actions or min(self.action_sites) < -1:
            raise ValueError("action_sites must be one number for each action, -1 or more")
        return self

    @property
    def num_cells(self) -> int:
        """Cells of the board. Margins are learned as shares of it."""
        return self.board_rows * self.board_columns

    @property
    def grid(self) -> int:
        """Cells of a plane."""
        return self.rows * self.columns

    @property
    def site_channels(self) -> int:
        """How many boards the action sites need."""
        return max(self.action_sites, default=-1) // self.grid + 1

    @property
    def num_beside(self) -> int:
        """How many actions sit on no board, like a pass."""
        return self.action_sites.count(-1)

    @property
    def gathered(self) -> tuple[int, ...]:
        """For each action its place in the boards of sites, flattened, followed by the actions beside them."""
        beside = iter(range(self.site_channels * self.grid, self.site_channels * self.grid + self.num_beside))
        return tuple(next(beside) if site < 0 else site for site in self.action_sites)

    @property
    def holds_board(self) -> bool:
        """Whether every cell of the board is a cell of the planes, counted from the top left."""
        return self.board_rows <= self.rows and self.board_columns <= self.columns


def layout_of(game: Game) -> Layout:
    """The layout of a game's networks."""
    planes, rows, columns = game.shape
    return Layout(
        planes=planes,
        rows=rows,
        columns=columns,
        num_actions=game.num_actions,
        action_sites=tuple(game.action_sites.tolist()),
        has_margin=game.rules.margin is not None,
        board_rows=game.board.rows,
        board_columns=game.board.columns,
    )


def body_widths(architecture: Architecture) -> tuple[int, ...]:
    """Channels or units of every layer of the body; a residual block has two layers."""
    if architecture.layers:
        return architecture.layers
    count = 1 + 2 * architecture.depth if architecture.body == "residual" else architecture.depth
    return (architecture.width,) * count


def weight_shapes(architecture: Architecture, layout: Layout) -> dict[str, tuple[int, ...]]:
    """The name and the shape of every weight of a network."""
    shapes, width = _body_shapes(architecture, layout)
    flat = width if architecture.body == "mlp" else width * layout.grid
    shapes |= _policy_shapes(architecture, layout, width, flat)
    shapes |= _value_shapes(architecture, layout, width)
    if has_margin(architecture, layout):
        shapes |= _linear("margin.last", value_units(architecture, layout), 1)
    if architecture.owners_head:
        is_dense = not layout.holds_board
        shapes |= _linear("owners.last", flat, layout.num_cells) if is_dense else _conv("owners.last", width, 1, 1)
    return shapes


def has_margin(architecture: Architecture, layout: Layout) -> bool:
    """Whether a network has a margin head: one that asks for it, of a game with margins."""
    return architecture.margin_head and layout.has_margin


def value_inputs(architecture: Architecture, layout: Layout) -> int:
    """How many numbers the fully connected part of the value head sees."""
    width = body_widths(architecture)[-1]
    if architecture.body == "mlp":
        return width
    if architecture.any_size:
        return 2 * width
    return (architecture.value_channels or width) * layout.grid


def value_units(architecture: Architecture, layout: Layout) -> int:
    """How many numbers the value is read from, and the margin."""
    return architecture.value_units or value_inputs(architecture, layout)


def has_value_channels(architecture: Architecture) -> bool:
    """Whether a convolution begins the value head."""
    return architecture.body != "mlp" and not architecture.any_size and architecture.value_channels > 0


Shapes = dict[str, tuple[int, ...]]


def _body_shapes(architecture: Architecture, layout: Layout) -> tuple[Shapes, int]:
    shapes: Shapes = {}
    is_mlp, normed = architecture.body == "mlp", architecture.batch_norm
    inputs = layout.planes * layout.grid if is_mlp else layout.planes
    for index, width in enumerate(body_widths(architecture)):
        name = f"body.{index}.linear"
        made = _linear(name, inputs, width) if is_mlp else _conv(name, inputs, width, 3)
        shapes |= _normed(made, f"body.{index}", width) if normed else made
        inputs = width
    return shapes, inputs


def _policy_shapes(architecture: Architecture, layout: Layout, width: int, flat: int) -> Shapes:
    head, policy = architecture.policy_head, architecture.policy_width
    if head == "none":
        return {}
    if architecture.body == "mlp":
        return _linear("policy.last", flat, layout.num_actions)
    shapes = _head_conv("policy.first", width, policy, is_normed=architecture.head_norm)
    if head == "dense":
        return shapes | _linear("policy.last", policy * layout.grid, layout.num_actions)
    if layout.site_channels:
        shapes |= _conv("policy.sites", policy, layout.site_channels, 1)
    if layout.num_beside:
        shapes |= _linear("policy.beside", 2 * policy, layout.num_beside)
    return shapes


def _value_shapes(architecture: Architecture, layout: Layout, width: int) -> Shapes:
    shapes: Shapes = {}
    if has_value_channels(architecture):
        shapes |= _head_conv("value.first", width, architecture.value_channels, is_normed=architecture.head_norm)
    if architecture.value_units:
        shapes |= _linear("value.hidden", value_inputs(architecture, layout), architecture.value_units)
    last = 3 if architecture.value_head == "wdl" else 1
    return shapes | _linear("value.last", value_units(architecture, layout), last)


def _normed(layer: Shapes, name: str, width: int) -> Shapes:
    """A layer with its normalisation, whose shift makes the bias useless."""
    norm = {f"{name}.norm.{part}": (width,) for part in ("weight", "bias", "running_mean", "running_var")}
    return {part: shape for part, shape in layer.items() if not part.endswith("bias")} | norm


def _head_conv(name: str, inputs: int, outputs: int, *, is_normed: bool) -> Shapes:
    return (
        _normed(_conv(f"{name}.linear", inputs, outputs, 1), name, outputs)
        if is_normed
        else _conv(name, inputs, outputs, 1)
    )


def _conv(name: str, inputs: int, outputs: int, size: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs, size, size), f"{name}.bias": (outputs,)}


def _linear(name: str, inputs: int, outputs: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
