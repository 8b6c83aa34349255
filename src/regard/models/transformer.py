"""Reads one text and writes another."""

from dataclasses import dataclass

from jaxtyping import Bool, Int
from torch import Tensor, nn

from regard.models.config import OutputConfig, SideConfig
from regard.models.side import Side
from regard.models.state import State, empty, packed
from regard.shapes import Real, Stream, Tokens


@dataclass(frozen=True)
class TransformerConfig:
    """Two sides, and how words are scored if they are. `shared`: one table of words for both. `bridge`: the encoder's
    vectors are made as wide as the decoder's before they are looked at."""

    encoder: SideConfig
    decoder: SideConfig
    output: OutputConfig | None = OutputConfig()
    shared: bool = True
    bridge: bool = False


class Transformer(nn.Module):
    """An encoder reads the source, a decoder writes the target and looks at both: Vaswani et al. 2017."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        width, source_width = config.decoder.stack.width, config.encoder.stack.width
        self.encoder = Side(config.encoder, is_causal=False)
        self.bridge = nn.Linear(source_width, width) if config.bridge else None
        self.decoder = Side(config.decoder, is_causal=True, source_width=width if config.bridge else source_width)
        if config.shared:
            self.decoder.words.table = self.encoder.words.table
        norm = config.decoder.stack.norm
        self.output = config.output.build(self.decoder.words, width, norm) if config.output else None

    def forward(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        *,
        real: Real | None = None,
        target_real: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """Scores of the word that follows each target token, all at once: teacher forcing."""
        x = self.hidden(source, target, real=real, target_real=target_real)
        return x if self.output is None else self.output(x)

    def hidden(
        self,
        source: Tokens,
        target: Int[Tensor, "batch written"],
        *,
        real: Real | None = None,
        target_real: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """The vectors from which words are chosen."""
        return self.decoder(target, real=target_real, source=self.encode(source, real), source_real=real)

    def encode(self, source: Tokens, real: Real | None = None) -> Stream:
        """A vector for every source token, as the decoder looks at them."""
        x = self.encoder(source, real=real)
        return x if self.bridge is None else self.bridge(x)

    def start(self, source: Tokens, real: Real | None = None) -> State:
        """The source read, nothing written."""
        return State(empty(self.config.decoder.stack.layers), source=self.encode(source, real), source_real=real)

    def step(self, state: State, tokens: Tokens, real: Real | None = None) -> tuple[Tensor, State]:
        """Write on; the scores of the word that follows the last token: (batch, 1, vocabulary)."""
        tokens, real = packed(tokens, real)
        state = state.read(tokens.shape[1], real)
        x = self.decoder(
            tokens, real=state.real, source=state.source, source_real=state.source_real, caches=state.caches
        )
        assert self.output is not None
        return self.output(x[:, -1:]), state.looked()
