"""Reads one text and writes another."""

from jaxtyping import Bool, Int
from torch import Tensor, nn

from regard.config import TransformerConfig
from regard.layers import Output
from regard.models.decoder_state import DecoderState, decode_step, empty_caches
from regard.models.embedded_stack import EmbeddedStack
from regard.models.parts import build_output
from regard.shapes import AttentionMask, Stream, Tokens


class Transformer(nn.Module):
    """An encoder reads the source, a decoder writes the target and looks at both: Vaswani et al. 2017."""

    config: TransformerConfig
    encoder: EmbeddedStack
    bridge: nn.Linear | None
    decoder: EmbeddedStack
    output: Output | None

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        width, source_width = config.decoder.stack.width, config.encoder.stack.width
        self.encoder = EmbeddedStack(config.encoder, is_causal=False)
        self.bridge = nn.Linear(source_width, width) if config.bridge else None
        self.decoder = EmbeddedStack(
            config.decoder, is_causal=True, source_width=width if config.bridge else source_width
        )
        if config.shared:
            self.decoder.embedding.table = self.encoder.embedding.table
        norm = config.decoder.stack.norm
        self.output = build_output(config.output, self.decoder.embedding, width, norm) if config.output else None

    def forward(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        *,
        attention_mask: AttentionMask | None = None,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """Scores of the word that follows each target token, all at once: teacher forcing."""
        x = self.hidden(source, target, attention_mask=attention_mask, target_attention_mask=target_attention_mask)
        return x if self.output is None else self.output(x)

    def hidden(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        *,
        attention_mask: AttentionMask | None = None,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """The vectors from which words are chosen."""
        return self.decoder(
            target,
            attention_mask=target_attention_mask,
            source=self.encode(source, attention_mask),
            source_attention_mask=attention_mask,
        )

    def encode(self, source: Tokens, attention_mask: AttentionMask | None = None) -> Stream:
        """A vector for every source token, as the decoder looks at them."""
        x = self.encoder(source, attention_mask=attention_mask)
        return x if self.bridge is None else self.bridge(x)

    def start(self, source: Tokens, attention_mask: AttentionMask | None = None) -> DecoderState:
        """The source read, nothing written."""
        return DecoderState(
            empty_caches(self.config.decoder.stack.layers),
            source=self.encode(source, attention_mask),
            source_attention_mask=attention_mask,
        )

    def step(
        self, state: DecoderState, tokens: Tokens, attention_mask: AttentionMask | None = None
    ) -> tuple[Tensor, DecoderState]:
        """Write on; the scores of the word that follows the last token: (batch, 1, vocabulary)."""
        assert self.output is not None
        return decode_step(self.decoder, self.output, state, tokens, attention_mask)
