"""Reads a text from left to right and goes on: GPT and its kind."""

import torch
from torch import Tensor, nn

from regard.config import DecoderConfig
from regard.layers import ClassificationHead, Output
from regard.models.decoder_state import DecoderState, empty_caches, pad_left
from regard.models.embedded_stack import EmbeddedStack
from regard.models.parts import build_classification_head, build_output
from regard.shapes import AttentionMask, Stream, Tokens


class Decoder(nn.Module):
    """A language model: every token sees itself and those before it: Radford et al. 2019."""

    decoder: EmbeddedStack
    output: Output | None
    classify: ClassificationHead | None

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        width, norm = config.decoder.stack.width, config.decoder.stack.norm
        self.decoder = EmbeddedStack(config.decoder, is_causal=True)
        self.output = build_output(config.output, self.decoder.embedding, width, norm) if config.output else None
        self.classify = build_classification_head(config.classify, width) if config.classify else None

    def forward(self, tokens: Tokens, *, attention_mask: AttentionMask | None = None) -> Tensor:
        """Scores of the word that follows each token, or of labels."""
        x = self.hidden(tokens, attention_mask=attention_mask)
        if self.output is not None:
            return self.output(x)
        return x if self.classify is None else self.classify(x, attention_mask)

    def hidden(
        self, tokens: Tokens, *, attention_mask: AttentionMask | None = None, piece: int | None = None
    ) -> Stream:
        """A vector for every token. With `piece`, which takes less memory, each block reads so many at a time."""
        return self.decoder(tokens, attention_mask=attention_mask, piece=piece)

    def start(self, source: Tokens | None = None, attention_mask: AttentionMask | None = None) -> DecoderState:
        """Nothing read yet; a source, if there is one, is the prompt's business."""
        return DecoderState(empty_caches(self.config.decoder.stack.layers))

    def step(
        self, state: DecoderState, tokens: Tokens, attention_mask: AttentionMask | None = None
    ) -> tuple[Tensor, DecoderState]:
        """Read on; the scores of the word that follows the last token: (batch, 1, vocabulary)."""
        tokens, attention_mask = pad_left(tokens, attention_mask)
        if attention_mask is None and not state.caches:
            attention_mask = torch.ones_like(tokens, dtype=torch.bool)
        state = state.read(tokens.shape[1], attention_mask)
        x = self.decoder(tokens, attention_mask=state.attention_mask, caches=state.caches)
        assert self.output is not None
        return self.output(x[:, -1:]), state
