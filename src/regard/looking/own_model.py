"""Tools that read weights know our layout: a live model of transformers is read through its family's table of names.

Made anew in every call, so that it is never older than the weights; most of them are shared, not copied.
"""

from torch import nn

from regard.checkpoints.live import is_pretrained, live_checkpoint
from regard.errors import RegardError


def own_model(model: nn.Module) -> nn.Module:
    """The model itself, or a model of ours on the weights of a live one."""
    if not is_pretrained(model):
        return model
    try:
        return live_checkpoint(model).model
    except RegardError as problem:
        raise RegardError(f"the weights of a live {type(model).__name__} cannot be read: {problem}") from None
