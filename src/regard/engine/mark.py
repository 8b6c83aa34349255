"""Whether a model is still the one that was packed."""

from torch import nn

from regard.engine.packed import Unsupported

Mark = tuple[int, ...]


def marked(model: nn.Module) -> Mark:
    """Where all weights are, and how often each was changed in place.

    Raises Unsupported if more than layers would run: hooks, dropout. Looked at before every text, so it walks the
    modules itself: torch's own walk takes as long as a few steps of a small model.
    """
    mark, left = [], [model]
    while left:
        module = left.pop()
        if module._forward_hooks or module._forward_pre_hooks:
            raise Unsupported("hooks are at work in the model")
        if module.training and isinstance(module, nn.Dropout) and module.p:
            raise Unsupported("dropout is at work in the model")
        for parameter in module._parameters.values():
            if parameter is not None:
                mark += (parameter.data_ptr(), parameter._version)
        left += [part for part in module._modules.values() if part is not None]
    return tuple(mark)
