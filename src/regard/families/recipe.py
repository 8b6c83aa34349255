"""How a recipe speaks of a model, and what is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from regard.config import Config
from regard.families.recipe_fields import Count, Length, OptionalLength, OptionalWidth, Share, Width
from regard.settings import Range


@dataclass(frozen=True)
class PartRecipe:
    """A part by its name in a table of the library, and its settings; without a name, as the family has it.

    A setting is a number, a text, true or false, or a table of such.
    """

    kind: str = ""
    settings: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelRecipe:
    """What is built. `family` is whose layout it has, so that others can load it: a name of FAMILIES."""

    kind: str = "transformer"
    family: str = ""
    width: Width = 256
    layers: tuple[Annotated[int, Range(0, 1000)], ...] = (3,)  # one number, or [encoder, decoder]
    heads: Count = 4
    value_width: OptionalWidth = 0  # of a head; 0: as many numbers as its keys have
    feed_forward_width: OptionalWidth = 0  # 0: four times the model's
    activation: str = ""
    dropout: Share = 0.1
    attention_dropout: Share = 0.0
    feed_forward_dropout: Share = 0.0
    max_positions: Length = 512  # where they are learned
    feed_forward: bool = True  # false: attention alone
    residual: bool = True  # false: what a part gives takes the place of the stream instead of being added to it
    norm: str = ""  # a name of NORMS, "none" among them; as the family has it, if empty
    norm_place: Literal["", "pre", "post"] = ""  # before each part and at the end, or after each sum
    shared_embedding: bool = True  # one embedding for both sides
    tied_embedding: bool = True  # and for the output
    output_bias: bool = False
    position: PartRecipe = PartRecipe()  # [model.position] kind = "alibi"; a name of POSITIONS
    score: PartRecipe = PartRecipe()  # [model.score] kind = "cosine"; a name of SCORES, or of an alignment's scores
    attention: PartRecipe = PartRecipe()  # [model.attention] kind = "window"; full, or a name of ATTENTION_METHODS
    pool: Literal["first", "last", "mean"] = "first"  # first | last | mean: what labels are read from
    memory_length: OptionalLength = (
        0  # of an xl: positions back that a token attends to, in earlier segments too; 0: its own
    )
    # of an alignment
    embedding_width: OptionalWidth = 0  # 0: the model's
    cell: str = "gru"  # gru | lstm
    local: str = ""  # monotonic | predictive: attend to a part of the source only
    local_window: Length = 10  # positions on each side of it
    input_feeding: bool = False  # the last attention output is read with the next word
    # of a memory network, whose `layers` are hops and whose `max_positions` is how many sentences it knows the time of
    weight_tying: str = "adjacent"  # adjacent | layerwise
    hop_projection: bool = False  # a matrix between hops


@dataclass(frozen=True)
class ModelPlan:
    """A model to be built, and what its family calls it. `entries` is what config.json says beside its numbers."""

    config: Config
    architecture: str
    config_entries: Mapping[str, object]


@dataclass(frozen=True)
class DataSizes:
    """What the data asks of a model: so many words (`target_vocabulary`, where the other side has its own), labels
    (0: none; `labels_tokens`: one for each token), and whether sentences follow each other; `sentence_words` are the
    words of a remembered sentence."""

    vocabulary: int
    target_vocabulary: int | None = None
    labels: int = 0
    labels_tokens: bool = False
    next_sentence: bool = False
    sentence_words: int = 0
