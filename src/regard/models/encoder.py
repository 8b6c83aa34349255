"""Reads a text both ways: BERT and its kind."""

from dataclasses import dataclass

from jaxtyping import Int
from torch import Tensor, nn

from regard.layers import DenseLayer, pool_tokens
from regard.models.config import ClassificationHeadConfig, EmbeddedStackConfig, OutputConfig
from regard.models.embedded_stack import EmbeddedStack
from regard.shapes import AttentionMask, Stream, Tokens


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


class Encoder(nn.Module):
    """Every token sees the whole text: Devlin et al. 2019."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        width, norm = config.encoder.stack.width, config.encoder.stack.norm
        self.encoder = EmbeddedStack(config.encoder, is_causal=False)
        self.output = config.output.build(self.encoder.embedding, width, norm) if config.output else None
        self.pooler = DenseLayer(width, config.pooler) if config.pooler else None
        self.classify = config.classify.build(width) if config.classify else None
        self.follows = nn.Linear(width, 2) if config.follows else None

    def forward(
        self,
        tokens: Tokens,
        *,
        segments: Int[Tensor, "batch length"] | None = None,
        attention_mask: AttentionMask | None = None,
    ) -> Tensor:
        """Scores of words or of labels; the vectors themselves where nothing is asked."""
        x = self.hidden(tokens, segments=segments, attention_mask=attention_mask)
        if self.output is not None:
            return self.output(x)
        if self.classify is None:
            return x
        if self.pooler is not None and self.classify.pool == "first":
            return self.classify.labels(self.classify.dropout(self.pooled_output(x, attention_mask)))
        return self.classify(x, attention_mask)

    def hidden(
        self,
        tokens: Tokens,
        *,
        segments: Int[Tensor, "batch length"] | None = None,
        attention_mask: AttentionMask | None = None,
    ) -> Stream:
        """A vector for every token."""
        return self.encoder(tokens, attention_mask=attention_mask, segments=segments)

    def pooled_output(self, x: Stream, attention_mask: AttentionMask | None = None) -> Tensor:
        """The first token's vector, through the pooler."""
        first = pool_tokens(x, attention_mask, "first")
        return first if self.pooler is None else self.pooler(first)
