"""Whole models, as plain data; models/build.py makes them."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from regard.config.parts import (
    AttentionConfig,
    ClassificationHeadConfig,
    EmbeddedStackConfig,
    FeatureStackConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    ScoreConfig,
    StackConfig,
)
from regard.config.ranges import (
    CHANNELS,
    COPIES,
    EPSILON,
    FEED_FORWARD_WIDTH,
    HEADS,
    LABELS,
    LAYERS,
    MEMORIES,
    PIXELS,
    POSITIONS,
    SCALES,
    SHARE,
    VOCABULARY,
    WIDTH,
)
from regard.errors import ShapeError
from regard.settings import TOKEN

MULTIHEAD = "multihead"


@dataclass(frozen=True)
class EncoderConfig:
    """A side, and what is asked of it: words, labels, whether two sentences follow each other, or nothing.

    `pooler` names the activation of a dense layer on the first token, which the last two questions look at.
    """

    encoder: EmbeddedStackConfig
    output: OutputConfig | None = None
    classify: ClassificationHeadConfig | None = None
    pooler: str | None = None
    follows: bool = False


@dataclass(frozen=True)
class DecoderConfig:
    """A side, and what is asked of it: the next word, or labels."""

    decoder: EmbeddedStackConfig
    output: OutputConfig | None = OutputConfig()
    classify: ClassificationHeadConfig | None = None


@dataclass(frozen=True)
class TransformerConfig:
    """Two sides, and how words are scored if they are. `shared`: one table of words for both. `bridge`: the encoder's
    vectors are made as wide as the decoder's before they are looked at."""

    encoder: EmbeddedStackConfig
    decoder: EmbeddedStackConfig
    output: OutputConfig | None = OutputConfig()
    shared: bool = True
    bridge: bool = False


@dataclass(frozen=True)
class SpeechConfig:
    """A side that hears, one that writes, and how words are scored if they are."""

    encoder: FeatureStackConfig
    decoder: EmbeddedStackConfig
    output: OutputConfig | None = OutputConfig()


@dataclass(frozen=True)
class XLConfig(DecoderConfig):
    """A decoder whose score is of content and distance, and whose window is what it remembers and the token itself.

    Without a window nothing is remembered: the same decoder, which sees no further back than its segment.
    """

    def __post_init__(self) -> None:
        stack = self.decoder.stack
        if stack.attention.score != ScoreConfig("xl") or self.decoder.position.kind != "none":
            raise ShapeError("an XL knows positions by its score alone: score='xl' and no position scheme expected")
        if stack.window is not None and stack.window < 2:
            raise ShapeError(f"a memory of 1 position or more expected, or no window, got {stack.window - 1}")

    @property
    def memory(self) -> int:
        """Positions before its own that a token sees in every layer; 0: those of its segment."""
        window = self.decoder.stack.window
        return 0 if window is None else window - 1


@dataclass(frozen=True)
class RecurrentConfig:
    """One side: how many words, how wide their vectors, and the cells that read them."""

    vocabulary: Annotated[int, VOCABULARY]
    embedding_width: Annotated[int, WIDTH]
    width: Annotated[int, WIDTH]
    layers: Annotated[int, LAYERS] = 1


@dataclass(frozen=True)
class AlignConfig:
    """How the source is looked at: a name of SCORES, of one head, or "multihead" (Vaswani et al. 2017).

    The state that asks is the one `before` the word is read, and what it gathers is read with the word (Bahdanau et
    al. 2015); or the one `after` (Luong et al. 2015); or it stands `between` two memories, and the second reads what
    was gathered. `inner` is the width in which an additive score compares. `local` is a name of LOCAL. `pruned` are
    heads that were taken out.
    """

    score: str = "additive"
    look: Literal["before", "between", "after"] = "before"
    heads: Annotated[int, HEADS] = 1
    score_width: Annotated[int, WIDTH] | None = None
    local: str | None = None
    reach: Annotated[int, POSITIONS] = 10
    pruned: list[int] = field(default_factory=list)

    def output_width(self, width: int, source_width: int) -> int:
        """How wide the vectors are that a look gives."""
        return width if self.score == MULTIHEAD else source_width


@dataclass(frozen=True)
class AlignerConfig:
    """Two recurrent sides and how one looks at the other; None: not at all, but for where it begins.

    `narrow`: annotations are bent to so many numbers. `begins`: the writer begins with what the reader remembers of
    its last words, else with nothing. `deep` names the bend of a deep output, of the width of target words; with
    `skips` the last word goes into it, too. `feeding`: the vector that a word was chosen from is read with the next
    one (Luong et al. 2015, 3.3).
    """

    reads: RecurrentConfig
    writes: RecurrentConfig
    align: AlignConfig | None = AlignConfig()
    cell: str = "gru"
    narrow: Annotated[int, WIDTH] | None = None
    begins: bool = True
    deep: str | None = "maxout"
    skips: bool = True
    feeding: bool = False
    output: OutputConfig = OutputConfig(tied=False, bias=True)
    shared: bool = False
    dropout: Annotated[float, SHARE] = 0.0


@dataclass(frozen=True)
class MaskedAlignerConfig:
    """Two directions that guess each word of a text from its other words and from a translation: Chen et al. 2021.

    `reader` reads what is looked at. What guesses has `layers` of the same kind; the last of them looks at the other
    text. Both directions and the output have one table of words, or each direction its own if it is not `shared`.
    """

    reader: EmbeddedStackConfig
    layers: Annotated[int, LAYERS] = 3
    output: OutputConfig = OutputConfig()
    shared: bool = True


@dataclass(frozen=True)
class MemoryNetworkConfig:
    """What a memory network is made of.

    `memories` are the sentences that it knows the time of (0: it knows no time), `max_words` the words of a sentence
    (0: it knows no order of words). `empty` adds a memory of nothing behind the others, zeros as key and value: where a
    hop looks that finds no match; if it `fills`, it is all the room that a story leaves of the `memories`, and counts
    so many times. `projects` puts a matrix between hops, the same between all. `copies` are nets side
    by side that share nothing but the stories: restarts, which learn together as fast as one.
    """

    vocabulary: Annotated[int, VOCABULARY]
    width: Annotated[int, WIDTH]
    hops: Annotated[int, LAYERS] = 3
    tying: str = "adjacent"
    projects: bool = False
    memories: Annotated[int, MEMORIES] = 50
    max_words: Annotated[int, MEMORIES] = 12
    empty: bool = True
    fills: bool = False
    pad: Annotated[int, TOKEN] = 0
    copies: Annotated[int, COPIES] = 1

    def __post_init__(self) -> None:
        if self.pad >= self.vocabulary:
            raise ShapeError(f"padding is a word of the {self.vocabulary}, counted from 0, got {self.pad}")


@dataclass(frozen=True)
class VisionConfig:
    """A square picture of `size` pixels a side, cut into squares of `patch`; one label of `labels` is its answer.

    `has_positions` tells each piece where it was; without, a picture is a set. `pool` says what is asked for the
    answer: a class token in front ("first"), or the mean of all pieces. `pruned` are heads that were taken out, by
    layer: {"encoder.0.self": [1, 3]}. `channels` are the numbers of a pixel: 1 for brightness, 3 for red, green and
    blue.
    """

    size: Annotated[int, PIXELS]
    patch: Annotated[int, PIXELS]
    labels: Annotated[int, LABELS]
    width: Annotated[int, WIDTH]
    layers: Annotated[int, LAYERS]
    heads: Annotated[int, HEADS]
    feed_forward_width: Annotated[int, FEED_FORWARD_WIDTH]
    has_positions: bool = True
    pool: Literal["first", "mean"] = "first"
    dropout: Annotated[float, SHARE] = 0.0
    pruned: dict[str, list[int]] = field(default_factory=dict)
    channels: Annotated[int, CHANNELS] = 1
    activation: str = "gelu"
    epsilon: Annotated[float, EPSILON] = 1e-5
    qkv_bias: bool = True
    attention_dropout: Annotated[float, SHARE] = 0.0

    @property
    def pieces(self) -> int:
        if self.patch < 1 or self.size % self.patch:
            raise ShapeError(f"a side of {self.size} pixels cannot be cut into squares of {self.patch}")
        return (self.size // self.patch) ** 2

    @property
    def stack(self) -> StackConfig:
        attention = AttentionConfig(self.heads, bias=self.qkv_bias, output_bias=True, dropout=self.attention_dropout)
        inner, norm = FeedForwardConfig(self.feed_forward_width, self.activation), NormConfig("layer", self.epsilon)
        pruned = {layer.removeprefix("encoder."): heads for layer, heads in self.pruned.items()}
        return StackConfig(self.layers, self.width, attention, inner, norm, pruned=pruned, dropout=self.dropout)


@dataclass(frozen=True)
class GlimpseConfig:
    """`glimpses` looks at squares of `patch` pixels (an odd number) around any pixel of the picture.

    With more `scales` than one a look is at one of them as well: a square three times as wide for each, of as many
    numbers, each the mean of what it covers. `channels` are the numbers of a pixel.
    """

    size: Annotated[int, PIXELS]
    labels: Annotated[int, LABELS]
    width: Annotated[int, WIDTH]
    glimpses: Annotated[int, LAYERS] = 6
    patch: Annotated[int, PIXELS] = 3
    channels: Annotated[int, CHANNELS] = 1
    scales: Annotated[int, SCALES] = 1

    @property
    def looks(self) -> int:
        """How many there are to choose from: every position at every scale."""
        return self.size**2 * self.scales


Config = (
    EncoderConfig
    | DecoderConfig
    | TransformerConfig
    | SpeechConfig
    | AlignerConfig
    | MaskedAlignerConfig
    | MemoryNetworkConfig
    | VisionConfig
    | GlimpseConfig
)
