"""How a recipe speaks of a model, and what is made of it."""

from dataclasses import dataclass, field
from typing import Any, Literal, cast

from regard.config import Config
from regard.errors import RecipeError


@dataclass(frozen=True)
class PartRecipe:
    """A part by its name in a table of the library, and its settings; without a name, as the family has it."""

    kind: str = ""
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelRecipe:
    """What is built. `family` is whose layout it has, so that others can load it: a name of FAMILIES."""

    kind: str = "transformer"
    family: str = ""
    width: int = 256
    layers: tuple[int, ...] = (3,)  # one number, or [encoder, decoder]
    heads: int = 4
    feed_forward_width: int = 0  # 0: four times the model's
    activation: str = ""
    dropout: float = 0.1
    attention_dropout: float = 0.0
    feed_forward_dropout: float = 0.0
    max_positions: int = 512  # where they are learned
    shared_embedding: bool = True  # one embedding for both sides
    tied_embedding: bool = True  # and for the output
    output_bias: bool = False
    position: PartRecipe = PartRecipe()  # [model.position] kind = "alibi"; a name of POSITIONS
    score: PartRecipe = PartRecipe()  # [model.score] kind = "cosine"; a name of SCORES, or of an alignment's scores
    attention: PartRecipe = PartRecipe()  # [model.attention] kind = "window"; full, or a name of ATTENTION_METHODS
    pool: str = "first"  # first | last | mean: what labels are read from
    memory_length: int = 0  # of an xl: positions back that a token attends to, in earlier segments too; 0: its own
    # of an alignment
    embedding_width: int = 0  # 0: the model's
    cell: str = "gru"  # gru | lstm
    local: str = ""  # monotonic | predictive: attend to a part of the source only
    local_window: int = 10  # positions on each side of it
    input_feeding: bool = False  # the last attention output is read with the next word
    # of a memory network, whose `layers` are hops and whose `max_positions` is how many sentences it knows the time of
    weight_tying: str = "adjacent"  # adjacent | layerwise
    hop_projection: bool = False  # a matrix between hops


@dataclass(frozen=True)
class ModelPlan:
    """A model to be built, and what its family calls it. `entries` is what config.json says beside its numbers."""

    config: Config
    architecture: str
    config_entries: dict[str, Any]


@dataclass(frozen=True)
class DataSizes:
    """What the data asks of a model: so many words (`target_vocabulary`, where the other side has its own), labels
    (0: none), and whether sentences follow each other; `sentence_words` are the words of a remembered sentence."""

    vocabulary: int
    target_vocabulary: int | None = None
    labels: int = 0
    next_sentence: bool = False
    sentence_words: int = 0


def pool_of(model: ModelRecipe) -> Literal["first", "last", "mean"]:
    if model.pool not in ("first", "last", "mean"):
        raise RecipeError(f"model.pool = {model.pool!r}: first, last or mean expected")
    return cast(Literal["first", "last", "mean"], model.pool)
