"""How large one stack of a family is: all that differs between its members."""

from dataclasses import dataclass, replace

from regard.families.recipe import ModelRecipe


@dataclass(frozen=True)
class Sizes:
    """Numbers that every family is told of one stack, and how much of each part is dropped while it learns."""

    vocabulary: int
    layers: int
    width: int
    heads: int
    feed_forward_width: int
    activation: str
    max_positions: int = 512
    dropout: float = 0.1
    attention_dropout: float = 0.1
    feed_forward_dropout: float = 0.0
    embedding_dropout: float = 0.1

    @classmethod
    def of_recipe(cls, model: ModelRecipe, vocabulary: int, activation: str, *, is_decoder: bool = False) -> "Sizes":
        """The sizes that a recipe asks for; the activation is the family's, unless the recipe names one."""
        return cls(
            vocabulary,
            model.layers[-1 if is_decoder else 0],
            model.width,
            model.heads,
            model.feed_forward_width or 4 * model.width,
            model.activation or activation,
            model.max_positions,
            model.dropout,
            model.attention_dropout,
            model.feed_forward_dropout,
            model.dropout,
        )


EXAMPLE_SIZES = Sizes(40, 2, 24, 4, 32, "gelu", 20)


def example_sizes(activation: str) -> Sizes:
    """Those of a small model."""
    return replace(EXAMPLE_SIZES, activation=activation)
