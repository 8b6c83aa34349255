"""Reads a text both ways: BERT and its kind."""

from jaxtyping import Int
from torch import Tensor, nn

from regard.config import EncoderConfig
from regard.layers import ClassificationHead, DenseLayer, Output, pool_tokens
from regard.models.embedded_stack import EmbeddedStack
from regard.models.parts import build_classification_head, build_output
from regard.shapes import AttentionMask, Stream, Tokens


class Encoder(nn.Module):
    """Every token sees the whole text: Devlin et al. 2019."""

    config: EncoderConfig
    encoder: EmbeddedStack
    output: Output | None
    pooler: DenseLayer | None
    classify: ClassificationHead | None
    follows: nn.Linear | None

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        width, norm = config.encoder.stack.width, config.encoder.stack.norm
        self.encoder = EmbeddedStack(config.encoder, is_causal=False)
        self.output = build_output(config.output, self.encoder.embedding, width, norm) if config.output else None
        self.pooler = DenseLayer(width, config.pooler) if config.pooler else None
        self.classify = build_classification_head(config.classify, width) if config.classify else None
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
