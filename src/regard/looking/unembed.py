"""From vectors of the stream to words: what a lens, a memory and a head's table all end with."""

from torch import Tensor, nn

from regard.errors import RegardError
from regard.layers import Embedding, Output, TransformerBlock, gain_of
from regard.looking.own_model import own_model
from regard.models.embedded_stack import EmbeddedStack


class Unembedding:
    """The last steps of a model that scores words: the norm at the end of a stack, if there is one, and the output.

    `side` is the stack that ends there: the decoder, or the only one. A live model's weights are read as they are.
    """

    def __init__(self, model: nn.Module) -> None:
        model = own_model(model)
        name = "decoder" if hasattr(model, "decoder") else "encoder"
        embedded_stack, output = getattr(model, name, None), getattr(model, "output", None)
        if not isinstance(embedded_stack, EmbeddedStack) or not isinstance(output, Output):
            raise RegardError(
                f"{type(model).__name__} does not score words at the end of a stack: "
                "an Encoder, Decoder or Transformer with an output expected, as regard.load gives"
            )
        self.name: str = name
        self.side: EmbeddedStack = embedded_stack
        self.output: Output = output

    @property
    def embedding(self) -> Embedding:
        return self.side.embedding

    @property
    def blocks(self) -> dict[str, TransformerBlock]:
        """The blocks of the stack, by name."""
        # A ModuleList does not say what its modules are.
        return {f"{self.name}.{number}": block for number, block in enumerate(self.side.stack.blocks)}  # type: ignore[misc]

    @property
    def gain(self) -> Tensor | None:
        """What the norm at the end multiplies each number of a vector with, if there is one."""
        gain = gain_of(self.side.stack.norm)
        return None if gain is None else gain.detach()

    def stream(self, x: Tensor) -> Tensor:
        """A score for every word, as if the stack ended with these vectors."""
        return self.output(x if self.side.stack.norm is None else self.side.stack.norm(x))

    def direction(self, x: Tensor) -> Tensor:
        """How much every word gains from a small step this way: no bias, and a norm's gain but not its size.

        A dense layer before the output (BERT's) is passed as if the step were all there is.
        """
        x = x if self.gain is None else x * self.gain
        x = x if self.output.transform is None else self.output.transform(x)
        return x @ self.output.weight.T * self.output.scale
