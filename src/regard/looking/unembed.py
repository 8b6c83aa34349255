"""From vectors of the stream to words: what a lens, a memory and a head's table all end with."""

from typing import Any

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.layers import Embedding, Output, TransformerBlock, gain_of
from regard.looking.activations.listing import sites
from regard.looking.activations.site import unhooked
from regard.looking.live import is_live
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

    @property
    def vocabulary(self) -> int:
        return len(self.output.weight)

    def check(self, x: Tensor, output: object) -> None:
        """What our own layout says of the last vectors is what the model says."""


class LiveUnembedding:
    """The last steps of a live model of another family: the norm of its stack, and its head, as modules.

    Whether there is more to it, the scores of the last layer show: they have to be the model's own.
    """

    def __init__(self, model: Any) -> None:
        known = sites(model)
        self.name: str = "decoder" if "decoder" in known.sides else known.sides[0]
        self.blocks: dict[str, nn.Module] = {name: parts.block for name, parts in known.parts.side(self.name)}
        self.norm: nn.Module | None = known.parts.stacks[self.name].final_norm
        head = model.get_output_embeddings() if hasattr(model, "get_output_embeddings") else None
        if head is None:
            raise RegardError(f"{type(model).__name__} does not score words at the end of a stack")
        self.head: nn.Module = head

    @property
    def vocabulary(self) -> int:
        return len(self.head.weight)  # type: ignore[arg-type]  # a module's weight is a tensor

    def stream(self, x: Tensor) -> Tensor:
        """A score for every word, as if the stack ended with these vectors."""
        return unhooked(self.head, x if self.norm is None else unhooked(self.norm, x))

    def check(self, x: Tensor, output: object) -> None:
        """Refuse a model that does something else at its end."""
        logits = getattr(output, "logits", None)
        if not isinstance(logits, Tensor) or not torch.allclose(self.stream(x), logits, rtol=1e-3, atol=1e-3):
            raise RegardError("the last steps of this live model are not known: a norm and a head expected")


def unembedding_of(model: nn.Module) -> Unembedding | LiveUnembedding:
    """Of a model of ours, of a live one of a family that is known, or of any other live one as far as it goes."""
    try:
        return Unembedding(model)
    except RegardError:
        if not is_live(model):
            raise
    return LiveUnembedding(model)
