"""What can be read of a model's parts, and which are not what they seem."""

from functools import partial

from torch import Tensor, nn

from regard.layers import FeedForward
from regard.layers.feedforward import ACTIVATIONS

BENDS = {"relu": 1, "gelu": 2, "gelu-tanh": 3, "silu": 4, "tanh": 5}


class Unsupported(Exception):
    """Why the engine cannot run a model, in a few words."""


def plain_parameter(module: nn.Module, name: str) -> Tensor | None:
    """A parameter, or None; what is computed anew each time, or hidden behind another name, is nothing to pack."""
    if name not in module._parameters and vars(module).get(name, ...) is not None:
        raise Unsupported(f"the {name} of a {type(module).__name__} is no parameter of it")
    return module._parameters.get(name)


def plain_weight(module: nn.Module) -> Tensor:
    """The weight of a part that has one."""
    weight = plain_parameter(module, "weight")
    if weight is None:
        raise Unsupported(f"a {type(module).__name__} has no weight")
    return weight


def check_dropout(*modules: nn.Module) -> None:
    for module in modules:
        if not isinstance(module.dropout, nn.Dropout | nn.Identity):
            raise Unsupported(f"{type(module.dropout).__name__} is no dropout")


def feed_forward_width(feed_forward: FeedForward) -> int:
    """How many numbers stand between widening and narrowing."""
    if not isinstance(feed_forward.narrow, nn.Linear):
        raise Unsupported(f"{type(feed_forward.narrow).__name__} is no plain linear layer")
    return feed_forward.narrow.in_features


def activation_code(activation: object) -> int:
    """The engine's number of an activation."""
    for name, names in ACTIVATIONS.items():
        if name in BENDS and is_same(activation, names):
            return BENDS[name]
    raise Unsupported("an activation is not one that it knows")


def is_same(one: object, other: object) -> bool:
    """Whether two functions are one; the copy of a model has its partial ones copied, too."""
    if isinstance(one, partial) and isinstance(other, partial):
        return (one.func, one.args, one.keywords) == (other.func, other.args, other.keywords)
    return one is other


def rows(table: nn.Module) -> Tensor:
    """The vectors of an embedding, if it is a plain one."""
    if not isinstance(table, nn.Embedding) or type(table) is not nn.Embedding or table.max_norm is not None:
        raise Unsupported(f"{type(table).__name__} is no plain table")
    weight = plain_weight(table)
    if weight.ndim != 2:
        raise Unsupported(f"the vectors of a table have {weight.ndim} dimensions, 2 expected")
    return weight.detach()
