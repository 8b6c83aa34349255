"""A recurrent translator that looks at its source: the first model with attention."""

from dataclasses import dataclass, replace
from inspect import signature
from itertools import repeat

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from regard.attention import SCORES, LearnedScore, Padding
from regard.attention.normalisers import Softmax
from regard.config import MULTIHEAD, AlignConfig, AlignerConfig
from regard.errors import ShapeError, list_names, lookup
from regard.layers import (
    LOCAL,
    AlignmentAttention,
    BlockCache,
    DeepOutput,
    Dropout,
    HeadSplit,
    MultiHead,
    Output,
    Recurrent,
    stepwise,
)
from regard.layers.recurrent import RecurrentState
from regard.models.decoder_state import DecoderState, pad_left
from regard.shapes import AttentionMask, Positions, Stream, Tokens

Embedded = Float[Tensor, "batch length word_width"]
Gathered = Float[Tensor, "batch length gathered_width"]
Said = Float[Tensor, "batch length said_width"]
"""The vectors from which words are chosen."""


@dataclass(frozen=True, eq=False)
class AlignerState:
    """What the writer knows in the middle of a text: the source, its memories, and the vector of its last word.

    `read` counts the tokens so far. `above` is the memory of the second reader, where there is one.
    """

    source: DecoderState
    memory: RecurrentState
    second_memory: RecurrentState
    last_output: Said | None
    length: Int[Tensor, "batch"]

    def select(self, rows: Tensor) -> "AlignerState":
        """Reorder, repeat and drop members of the batch at once."""
        return AlignerState(
            self.source.select(rows),
            tuple(part[:, rows] for part in self.memory),
            tuple(part[:, rows] for part in self.second_memory),
            None if self.last_output is None else self.last_output[rows],
            self.length[rows],
        )


class Aligner(nn.Module):
    """An encoder annotates every source word, a decoder looks for the annotations it needs: Bahdanau et al. 2015.

    Where a look depends on what the one before it gathered, words of a known target are gone through one by one;
    elsewhere all at once.
    """

    config: AlignerConfig
    source_embedding: nn.Embedding
    target_embedding: nn.Embedding
    encoder: Recurrent
    narrow: nn.Linear | None
    align: AlignmentAttention | MultiHead | None
    decoder: Recurrent
    above: Recurrent | None
    initial_state: nn.Linear | None
    deep: DeepOutput | None
    dropout: Dropout
    output: Output

    def __init__(self, config: AlignerConfig) -> None:
        super().__init__()
        self.config = config
        reads, writes, look = config.reads, config.writes, config.align
        self.source_embedding = nn.Embedding(reads.vocabulary, reads.embedding_width)
        self.target_embedding = (
            self.source_embedding if config.shared else nn.Embedding(writes.vocabulary, writes.embedding_width)
        )
        self.encoder = Recurrent(
            config.cell, reads.embedding_width, reads.width, layers=reads.layers, both_ways=True, dropout=config.dropout
        )
        self.narrow = nn.Linear(2 * reads.width, config.narrow) if config.narrow else None
        source, width = config.narrow or 2 * reads.width, writes.width
        attention_width = look.output_width(width, source) if look else 0
        self.align = build_alignment(look, width, source) if look else None
        self.look = look.look if look else None
        vector = writes.embedding_width if config.deep else width
        inputs = (
            writes.embedding_width
            + (attention_width if self.look == "before" else 0)
            + (vector if config.feeding else 0)
        )
        self.decoder = Recurrent(config.cell, inputs, width, layers=writes.layers, dropout=config.dropout)
        self.above = Recurrent(config.cell, width + attention_width, width) if self.look == "between" else None
        many = len(self.decoder.initial_state(0)) * writes.layers
        self.initial_state = nn.Linear(2 * reads.width, many * width) if config.begins else None
        deep_inputs = width + attention_width + (writes.embedding_width if config.skips else 0)
        self.deep = DeepOutput(deep_inputs, vector, config.deep) if config.deep else None
        self.dropout = Dropout(config.dropout)
        tied = self.target_embedding if config.output.tied else None
        self.output = Output(vector, writes.vocabulary, tied=tied, bias=config.output.bias, scale=config.output.scale)

    def forward(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        *,
        attention_mask: AttentionMask | None = None,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """Scores of the word that follows each target token: teacher forcing."""
        return self.output(
            self.hidden(source, target, attention_mask=attention_mask, target_attention_mask=target_attention_mask)
        )

    def hidden(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        *,
        attention_mask: AttentionMask | None = None,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """The vectors from which words are chosen."""
        return self.write(self.start(source, attention_mask), target, target_attention_mask)[0]

    def encode(self, source: Tokens, attention_mask: AttentionMask | None = None) -> tuple[Stream, RecurrentState]:
        """The annotation of every source token, and what is remembered at both ends."""
        x, memory = self.encoder(self.dropout(self.source_embedding(source)), attention_mask=attention_mask)
        return x if self.narrow is None else torch.tanh(self.narrow(x)), memory

    def start(self, source: Tokens, attention_mask: AttentionMask | None = None) -> AlignerState:
        """The source read, nothing written."""
        x, remembered = self.encode(source, attention_mask)
        memory = self.decoder.initial_state(len(source))
        if self.initial_state is not None:
            ends = torch.cat([remembered[0][-2], remembered[0][-1]], -1)
            parts = torch.tanh(self.initial_state(ends)).unflatten(-1, (len(memory), *memory[0].shape[::2]))
            memory = tuple(part.transpose(0, 1).contiguous() for part in parts.unbind(1))
        caches = () if self.align is None else (BlockCache(),)
        return AlignerState(
            DecoderState(
                caches, source=x if caches else None, source_attention_mask=attention_mask if caches else None
            ),
            memory,
            () if self.above is None else self.above.initial_state(len(source)),
            x.new_zeros(len(x), 1, self.output.weight.shape[1]) if self.config.feeding else None,
            torch.zeros(len(source), dtype=torch.long, device=source.device),
        )

    def step(
        self, state: AlignerState, tokens: Tokens, attention_mask: AttentionMask | None = None
    ) -> tuple[Tensor, AlignerState]:
        """Write on; the scores of the word that follows the last token: (batch, 1, vocabulary)."""
        x, state = self.write(state, *pad_left(tokens, attention_mask))
        return self.output(x[:, -1:]), state

    def write(
        self, state: AlignerState, tokens: Tokens, attention_mask: AttentionMask | None
    ) -> tuple[Said, AlignerState]:
        """The vectors of the words that follow these tokens, and what is known after the last."""
        words = self.dropout(self.target_embedding(tokens))
        in_turn = tokens.shape[1] > 1 and (self.config.feeding or self.look == "before")
        size = 1 if in_turn else tokens.shape[1]
        masks = repeat(None) if attention_mask is None else attention_mask.split(size, 1)
        steps: list[tuple[Tensor, ...]] = []
        with stepwise(self.align, tokens.shape[1] // size) as align:
            for some, mask in zip(words.split(size, 1), masks, strict=False):
                parts, state = self.advance(state, some, mask, align)
                steps.append(parts)
        parts = tuple(torch.cat(part, 1) for part in zip(*steps, strict=True)) if in_turn else steps[0]
        return self.dropout(parts[0] if self.config.feeding else self.deep_output(*parts)), state

    def advance(
        self,
        state: AlignerState,
        words: Embedded,
        attention_mask: AttentionMask | None,
        align: AlignmentAttention | MultiHead | None,
    ) -> tuple[tuple[Tensor, ...], AlignerState]:
        """One word read, or several where no look depends on another: what a word is chosen from, and the new state."""
        attention_outputs: list[Tensor] = []
        if self.look == "before":
            attention_outputs = [self.attention_output(align, state.memory[0][-1][:, None], state, attention_mask)]
        fed = [] if state.last_output is None else [state.last_output]
        x, memory = self.decoder(torch.cat([words, *attention_outputs, *fed], -1), state.memory, attention_mask)
        if self.look in ("between", "after"):
            attention_outputs = [self.attention_output(align, x, state, attention_mask)]
        above = state.second_memory
        if self.above is not None:
            x, above = self.above(torch.cat([x, *attention_outputs], -1), above, attention_mask)
        read = state.length + (words.shape[1] if attention_mask is None else attention_mask.sum(1))
        following = AlignerState(state.source.without_source(), memory, above, None, read)
        if state.last_output is None:
            return (x, words, *attention_outputs), following
        vector = self.deep_output(x, words, *attention_outputs)
        last_output = (
            vector if attention_mask is None else torch.where(attention_mask[..., None], vector, state.last_output)
        )
        return (vector,), replace(following, last_output=last_output)

    def attention_output(
        self,
        align: AlignmentAttention | MultiHead | None,
        x: Stream,
        state: AlignerState,
        attention_mask: AttentionMask | None,
    ) -> Gathered:
        """What these states gather from the source."""
        assert align is not None
        seen = state.source
        mask = None if seen.source_attention_mask is None else Padding(seen.source_attention_mask)
        return align(
            x, seen.source, mask=mask, positions=positions_after(state, x, attention_mask), cache=seen.caches[0].cross
        )

    def deep_output(self, x: Stream, words: Embedded, *gathered: Gathered) -> Said:
        """The vector from which a word is chosen: of the state, of the last word, of what was gathered."""
        if self.deep is None:
            return x
        return self.deep(x, *([words] if self.config.skips else []), *gathered)


def positions_after(state: AlignerState, x: Stream, attention_mask: AttentionMask | None) -> Positions:
    """How many words were written before each of these; padding does not count."""
    ahead = (
        torch.arange(x.shape[1], device=x.device)[None]
        if attention_mask is None
        else (attention_mask.cumsum(1) - 1).clamp(min=0)
    )
    return state.length[:, None] + ahead


def build_alignment(config: AlignConfig, width: int, source_width: int) -> AlignmentAttention | MultiHead:
    """How states of this width look at a source."""
    if config.score == MULTIHEAD:
        if config.local is not None:
            raise ShapeError("a local look is of one head, not of several")
        remaining_heads = tuple(head for head in range(config.heads) if head not in config.pruned)
        return MultiHead(
            width, HeadSplit.of(width, config.heads, remaining_heads=remaining_heads), source_width=source_width
        )
    score = build_alignment_score(config, width, source_width)
    if config.local is not None and not isinstance(score.score(1, 1).normaliser, Softmax):
        raise ShapeError(f"a local look weighs by a softmax, a score of kind {config.score!r} does not")
    centre = None if config.local is None else lookup(LOCAL, config.local, "local look")(width)
    return AlignmentAttention(score, centre, config.reach)


def build_alignment_score(config: AlignConfig, width: int, source_width: int) -> LearnedScore:
    """A score of one head. Most compare what is equally wide; some have a matrix between the widths, or do without."""
    score_class = lookup(SCORES, config.score, "score")
    if score_class.is_relative:
        known = [name for name, other in SCORES.items() if not other.is_relative]
        raise ShapeError(
            f"a source has no distance from the state that looks at it: {list_names([*known, MULTIHEAD], 20)} "
            f"expected, got {config.score!r}"
        )
    settings: dict[str, object] = {"scale": 1.0} if config.score == "dot" else {}
    sizes = signature(score_class).parameters
    if "key_width" in sizes:
        settings["key_width"] = source_width
    elif width != source_width and not score_class.knows_positions:
        raise ShapeError(
            f"a score of kind {config.score!r} compares equal widths, got a state of {width}, "
            f"a source of {source_width}"
        )
    if "score_width" in sizes:
        settings["score_width"] = config.score_width
    return score_class(1, width, **settings)
