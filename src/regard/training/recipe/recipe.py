"""What a run is to do, as a file: TOML in, frozen values out."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from regard.families.recipe import ModelRecipe, PartRecipe
from regard.families.recipe_fields import (
    Amount,
    Count,
    Length,
    Number,
    OptionalCount,
    OptionalLength,
    OptionalSteps,
    OptionalWidth,
    PositiveAmount,
    Seed,
    Share,
    Steps,
    WholeShare,
)
from regard.settings import Range

Beam = Annotated[int, Range(1, 1000)]
OptionalBeam = Annotated[int, Range(0, 1000)]
Times = Annotated[float, Range(0, 1000, open_below=True)]


@dataclass(frozen=True)
class MoreDataRecipe:
    """More pairs to learn from: [[data.also]]. Old ones against forgetting, or text of another kind.

    `weight` says how often each of them is learned from in an epoch: 0.2 is a fifth of them, drawn anew each time, 3 is
    all of them three times. `tag` stands before every source, so that a model can tell the kinds apart.
    """

    train: tuple[str, ...]
    weight: Times = 1.0
    tag: str = ""


@dataclass(frozen=True)
class DataRecipe:
    """Where the text is. Files are named from `folder`, and that from the recipe's own folder.

    `train` is a pair of parallel files, one .tsv, or one text; `swap` turns the direction of a pair around. `label`
    says where a line has its label: "first" or "last" of two columns, "word", or "coarse" (before a colon). `make` is a
    table instead of files: kind is a name of SYNTHETIC_TASKS, train, valid, test and seed say how many lines of it
    there are to be, and the rest are its own settings. An epoch is every text of `train` once, with those of `also`.
    """

    train: tuple[str, ...] = ()
    make: PartRecipe = PartRecipe()  # [data.make] kind = "copy": the recipe makes its own texts
    valid: tuple[str, ...] = ()
    folder: str = ""
    swap: bool = False
    label: str = "last"
    valid_share: Share = 0.0  # of the training text, where there is no valid: its end is not trained on
    max_length: Length = 256  # tokens of a text, special ones included
    windows: str = "shuffled"  # of one long text: shuffled | straight | carried | random
    context: OptionalLength = 0  # tokens of a window; 0: as many as model.max_positions
    faulty: Literal["stop", "leave-out"] = "stop"  # texts that are empty or too long; how many is said
    tag: str = ""  # words that stand before every source of train and valid
    also: tuple[MoreDataRecipe, ...] = ()


@dataclass(frozen=True)
class TokenizerRecipe:
    """bpe, bpe-marked, unigram, wordpiece, characters, words, or the path of a tokenizer.json."""

    kind: str = "bpe"
    size: OptionalLength = 8000  # 0: all words or characters there are
    joint: bool = True  # one for both sides
    lowercase: bool = False


@dataclass(frozen=True)
class TrainRecipe:
    """How it learns. Numbers of steps count updates, however many batches each takes."""

    objective: str = "translate"
    steps: Steps = 20000
    minutes: Amount = 0.0  # of training in all, however often it was interrupted; 0: all steps
    batch_tokens: Length = 4096  # target tokens a batch
    batch_size: OptionalCount = 0  # texts a batch instead, if not 0
    accumulate: Annotated[int, Range(1, 10_000)] = 1  # batches a step
    seed: Seed = 1
    # optimiser
    optimiser: str = "adam"
    learning_rate: Amount = 5e-4
    warmup: OptionalSteps = 4000
    schedule: str = "inverse-square-root"
    min_learning_rate: Amount = 0.0
    cooldown: OptionalSteps = 0  # steps at the end over which the rate falls evenly to the least
    betas: tuple[Share, Share] = (0.9, 0.98)
    epsilon: PositiveAmount = 1e-9
    weight_decay: Amount = 0.0
    clip_norm: Amount = 0.0
    lora_rank: OptionalWidth = 0  # matrices move by products of two that are so narrow, the rest stays; 0: all learns
    lora_alpha: PositiveAmount = 16.0  # over the rank: how much such a product counts
    # loss
    label_smoothing: Share = 0.0
    mask_probability: Annotated[float, Range(0, 1, open_below=True)] = 0.15
    whole_word_masking: bool = False
    next_sentence: bool = False
    linear_epochs: OptionalSteps = 0  # epochs at the beginning in which a memory network's hops have no softmax
    noise: WholeShare = 0.0  # share of empty memories among those that are learned from
    frozen: tuple[str, ...] = ()  # prefixes of names of weights that stay as they are: "encoder.0", "encoder.embedding"
    # what is saved and evaluated
    save_every: Steps = 500
    keep: OptionalCount = 2
    log_every: Steps = 10
    tensorboard: bool = False  # the log as event files, too
    evaluate_every: OptionalSteps = 0  # 0: whenever it is saved
    metric: str = "loss"
    patience: OptionalCount = 0  # evaluations without a better one before it stops; 0: never
    valid_beam: Beam = 1  # while it learns
    valid_lines: OptionalLength = 0  # of the valid set that are translated for a metric while it learns; 0: all
    beam: OptionalBeam = 0  # of the result; 0: as the start model has it, or 4
    length_penalty: Number = 1.0  # 1: as the start model has it
    average: Count = 1  # saves at the end whose mean is the result
    # how it is computed
    precision: str = "float32"  # float32 | bfloat16 | auto: bfloat16 where the machine multiplies it
    compile: bool = False
    workers: Annotated[int, Range(0, 256)] = 0
    shard: bool = False  # FSDP2 instead of DDP
    non_finite: Count = 10  # steps in a row with a gradient that is no number before it stops


@dataclass(frozen=True)
class Recipe:
    """Everything about a run. `run` is where it writes; `start` a folder to go on from."""

    run: str
    data: DataRecipe
    start: str = ""
    tokenizer: TokenizerRecipe = field(default_factory=TokenizerRecipe)
    model: ModelRecipe = field(default_factory=ModelRecipe)
    train: TrainRecipe = field(default_factory=TrainRecipe)
