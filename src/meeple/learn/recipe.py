"""Recipes: everything that decides how a run learns, in one frozen document."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from meeple.nets.architecture import Architecture, Natural, Positive
from meeple.settings import Part

Share = Annotated[float, Field(ge=0, le=1)]
NotNegative = Annotated[float, Field(ge=0)]
Momentum = Annotated[float, Field(ge=0, lt=1)]
Above0 = Annotated[float, Field(gt=0)]


class Search(Part):
    """How a move of self-play is found."""

    engine: Literal["gumbel", "puct", "lookahead"] = "gumbel"
    """Gumbel AlphaZero, PUCT, or a few plies of minimax over values."""
    simulations: Positive = 32
    """Simulations of a full search, whose policy is learned."""
    fast_simulations: Natural = 0
    """Simulations of a fast search, which only finds a move; 0 makes every search a full one."""
    full_share: Share = 1.0
    """How many of the searches are full, where there are fast ones."""
    c_init: NotNegative = 1.25
    """PUCT: how much priors count."""
    c_base: Above0 = 19652.0
    """PUCT: after how many visits they count more."""
    fpu: NotNegative = 0.2
    """PUCT: how much less than its parent an unvisited child is thought to be worth once all others were visited."""
    noise: Share = 0.25
    """PUCT: the share of Dirichlet noise in the priors at the root of a full search."""
    noise_alpha: Above0 | None = None
    """PUCT: the noise's parameter; 10 by the number of actions unless given."""
    max_considered: Positive = 16
    """Gumbel: how many moves the root considers."""
    value_scale: Above0 = 0.1
    """Gumbel: how much values count beside logits."""
    visit_offset: NotNegative = 50.0
    """Gumbel: how much they count before there are visits."""
    gumbel_noise: NotNegative = 1.0
    """Gumbel: the noise's scale at the root of a full search."""
    plies: Annotated[int, Field(ge=1, le=3)] = 1
    """Lookahead: how far it looks."""
    solve: bool = True
    """Whether proven wins and losses are backed up."""
    peek: bool = True
    """Whether every new node's moves are tried for one that wins at once."""
    turns: Literal["true", "alternating"] = "true"
    """`alternating` is the wrong rule that flips sides at every ply, kept to measure what it costs."""
    cache_mb: Natural = 256
    """Memory of the cache of evaluations; 0 for none."""


def _listed(value: object) -> object:
    """A number stands for a list of it."""
    return [value] if isinstance(value, int) else value


class SelfPlay(Part):
    """The games that a run plays against itself."""

    games: Annotated[tuple[Positive, ...], Field(min_length=1), BeforeValidator(_listed)] = (512,)
    """Games of an iteration: a number, or one for each iteration, of which the last one stays."""
    parallel: Positive = 64
    """Games that one thread plays at once, so that a batch of their positions is evaluated together."""
    temperature: NotNegative = 1.0
    """How evenly early moves are drawn: weights are visits, or the improved policy, to the power of one over it."""
    temperature_plies: Natural = 0
    """How many plies of a game are drawn; after them the best move is played (Gumbel: the best with its noise)."""
    late_temperature: NotNegative = 0.0
    """The temperature after those plies."""
    randomness: tuple[Share, ...] = ()
    """The chance of a random move, a number for each iteration; the last one stays. None: no random moves.

    Without a policy head positions of random moves are learned from like all others."""
    random_plies: Natural = 0
    """Games start with up to so many random moves, every number equally likely."""
    random_share: Share = 1.0
    """How many of the games do."""
    opening_plies: tuple[Positive, ...] = ()
    """Games start from forced openings of so many plies, drawn uniformly from a database of them all."""
    opening_moves: Literal["all", "winning"] = "all"
    """Whether the database has all legal moves or only winning ones."""
    openings: str | None = None
    """A database to draw from, by its path; else the run builds its own."""
    first_games: Natural = 0
    """Games by UCT with random rollouts before there is any network."""
    first_simulations: Positive = 1000
    """The simulations of their searches."""
    first_c: NotNegative = 1.4
    """How much those explore: what UCT adds to a move's mean value, from -1 to 1, for few visits."""
    resign_below: Annotated[float, Field(ge=-1, lt=0)] | None = None
    """A player whose root value falls below this gives up; none never does."""
    resign_checked: Share = 0.1
    """How many of the games are played on all the same, to see how often giving up would be wrong."""
    resign_false: Share = 0.05
    """Where more of those than this would have been wrong, nobody gives up in the next iteration."""
    stop_when_proven: bool = True
    """Whether a game ends when its root is proven, with the proven result."""

    def games_of(self, iteration: int) -> int:
        """How many games an iteration has, counted from 0."""
        return self.games[min(iteration, len(self.games) - 1)]

    def randomness_of(self, iteration: int) -> float:
        """The chance of a random move in an iteration, counted from 0."""
        return self.randomness[min(iteration, len(self.randomness) - 1)] if self.randomness else 0.0


class Replay(Part):
    """The positions that are learned from."""

    positions: Positive | None = None
    """The window holds so many positions."""
    games: Positive | None = None
    """The window holds so many games."""
    iterations: Positive | None = None
    """The window holds the games of so many iterations."""
    augment: Literal["none", "random", "all"] = "random"
    """Positions are learned as they are, as one random image under the game's symmetries, or as all images."""

    @model_validator(mode="after")
    def _one_measure(self) -> Self:
        if sum(measure is not None for measure in (self.positions, self.games, self.iterations)) != 1:
            raise ValueError("a window is measured in positions, games or iterations: exactly one of them")
        return self


class Learner(Part):
    """How a network is fitted to the positions."""

    optimizer: Literal["adam", "adamw", "sgd"] = "adamw"
    """Adam, Adam with decoupled weight decay, or gradient descent with momentum."""
    learning_rate: Above0 = 0.002
    """The highest learning rate."""
    schedule: Literal["constant", "cosine", "steps"] = "constant"
    """The rate stays; falls to `final_rate` over the run's minutes, iterations or steps; or drops at given steps."""
    warmup_steps: Natural = 0
    """Steps over which the rate rises from nothing."""
    final_rate: Share = 0.05
    """`cosine`: the last rate as a share of the highest."""
    drops: tuple[tuple[Positive, Above0], ...] = ()
    """`steps`: pairs of a step and the rate from there on."""
    momentum: Share = 0.9
    """`sgd`: how much of the last step stays in the next."""
    betas: tuple[Momentum, Momentum] = (0.9, 0.999)
    """`adam` and `adamw`: how much of the running means of gradients and of their squares stays."""
    weight_decay: NotNegative = 1e-4
    """How strongly weights are pulled to 0."""
    batch: Positive = 256
    """Positions of a step."""
    steps: Positive | None = None
    """Steps of an iteration; or"""
    epochs: Positive | None = None
    """how often an iteration learns the whole window; or"""
    reuse: Above0 | None = None
    """how often a new position is learned on average while it is in the window."""
    restart: Literal["nothing", "optimizer", "weights"] = "nothing"
    """What every iteration begins anew."""
    average: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Self-play and play use a running average of the weights that forgets so slowly; 0 uses the weights."""
    clip: NotNegative = 0.0
    """The largest norm of a gradient; 0 for no limit."""
    policy_loss: Literal["cross_entropy", "masked_squared"] = "cross_entropy"
    """How a policy is compared with the search's; `masked_squared` looks at legal actions only."""
    value_loss: Literal["squared", "cross_entropy"] = "squared"
    """How a value is compared with its target; `cross_entropy` suits chances of win, draw and loss."""
    policy_weight: NotNegative = 1.0
    """How much the policy counts."""
    value_weight: NotNegative = 1.0
    """How much the value counts."""
    margin_weight: NotNegative = 0.1
    """How much the margin counts, where it is learned."""
    owners_weight: NotNegative = 0.1
    """How much the owners count, where they are learned."""
    root_value_share: Share = 0.0
    """How much of a value's target is the root value of the search, the rest the outcome of the game."""

    @model_validator(mode="after")
    def _one_amount(self) -> Self:
        if sum(amount is not None for amount in (self.steps, self.epochs, self.reuse)) != 1:
            raise ValueError("how much is learned is given by steps, epochs or reuse: exactly one of them")
        return self


class Gate(Part):
    """What a new network must show before it plays."""

    test: Literal["none", "wins", "score"] = "none"
    """Nothing; so many times the wins of the old network; or a mean score."""
    at_least: Above0 = 1.0
    """`wins`: the least ratio of its wins to the old one's. `score`: the least score."""
    more: bool = False
    """Whether exactly that is not enough."""
    games: Positive = 20
    """How many games are played, colours swapped evenly."""
    simulations: Positive | None = None
    """The simulations of their searches; those of self-play unless given."""
    temperature_plies: Natural = 4
    """How many plies of them are drawn by temperature 1, so that they differ."""
    go_back: bool = True
    """Whether a network that fails is dropped; else it goes on learning from the old one's games."""


class Limits(Part):
    """What a run may take."""

    disk_mb: Positive = 2000
    """Of disk: the oldest games and checkpoints make room."""
    memory_mb: Positive = 4000
    """Of memory, for trees, window and cache together."""
    checkpoints: Positive = 20
    """How many checkpoints stay beside the best and the latest, evenly spread over the run."""


class Recipe(Part):
    """Everything that decides how a run learns."""

    name: str
    """As `--recipe` takes it."""
    about: str
    """What it is, where it comes from, and the curve to expect."""
    game: str
    """The game, size included."""
    network: Architecture = Architecture()
    """What is learned."""
    search: Search = Search()
    """How a move of self-play is found."""
    self_play: SelfPlay = SelfPlay()
    """The games that a run plays against itself."""
    replay: Replay
    """The positions that are learned from."""
    learner: Learner
    """How a network is fitted to the positions."""
    gate: Gate = Gate()
    """What a new network must show before it plays."""
    limits: Limits = Limits()
    """What a run may take."""
    precision: Literal["auto", "fp32", "bf16", "int8"] = "auto"
    """How numbers are kept while networks are evaluated in self-play; `auto` takes what is fastest."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where networks learn and are evaluated: `auto` takes a graphics card that PyTorch can use, if there is one."""
    iterations: Positive | None = None
    """After how many iterations the run ends by itself."""
    seed: Natural = 0
    """Where chance starts."""

    @model_validator(mode="after")
    def _agree(self) -> Self:
        faults = []
        if self.search.engine != "lookahead" and not self.network.has_policy:
            faults.append(f"search.engine = {self.search.engine} needs a policy: network.policy_head = none has none")
        if self.search.fast_simulations > self.search.simulations:
            faults.append("search.fast_simulations are more than search.simulations")
        if self.learner.value_loss == "cross_entropy" and self.network.value_head != "wdl":
            faults.append("learner.value_loss = cross_entropy needs network.value_head = wdl")
        if self.learner.schedule == "steps" and not self.learner.drops:
            faults.append("learner.schedule = steps needs learner.drops")
        if self.gate.test == "score" and (self.gate.at_least > 1 or (self.gate.more and self.gate.at_least == 1)):
            faults.append("gate.at_least: nobody's score exceeds 1")
        if 1 in self.self_play.randomness and self.network.has_policy:
            faults.append("self_play.randomness = 1 leaves no searches, and so no policies, to learn from")
        if self.self_play.openings and self.self_play.opening_plies == ():
            faults.append("self_play.openings needs self_play.opening_plies")
        if faults:
            raise ValueError("; ".join(faults))
        return self
