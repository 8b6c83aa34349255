"""A model of transformers that is in memory already becomes a model of ours, on the same weights where it can be.

The family's table of names is the one adapter: what it says of files holds for a live model's tensors. A tensor that is
one there and one here is shared, whichever way its matrix lies; what we hold as one and they as several (query, key and
value, and the halves of gated layers), or in another order, is copied.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from regard.checkpoints.files import CheckpointError, first_line
from regard.checkpoints.load import Checkpoint, read_config, restore_buffers
from regard.checkpoints.tensors import read_into
from regard.errors import RegardError
from regard.families import architecture_of, family_of
from regard.families.options import Options


def is_pretrained(model: object) -> bool:
    """Whether something is a model of transformers; a program that has none never imported it."""
    library = sys.modules.get("transformers")
    kind = getattr(library, "PreTrainedModel", None)
    return kind is not None and isinstance(model, kind)


def live_checkpoint(model: nn.Module) -> Checkpoint:
    """A live model of a known family as ours, in evaluation mode; nothing of the live one is changed."""
    where = type(model).__name__
    if not is_pretrained(model):
        raise CheckpointError(f"{where} is no model of transformers: one of those, a folder or a name expected")
    config = live_config(model)
    family = family_of(config, where)
    architecture = architecture_of(config, family, where)
    tensors = live_tensors(model)
    try:
        model_config, own = read_config(family, Options(config, where, tensors), architecture)
    except CheckpointError:
        raise
    except RegardError as problem:
        raise CheckpointError(f"{where}: no model can be made of it ({first_line(problem)})") from None
    names = family.names(model_config, architecture)
    read_into(own, names, tensors, where, share=True)
    restore_buffers(own, model_config)
    spare = {name: tensors[name] for name in tensors.keys() & names.spare - names.echoes.keys()}
    dtypes = {name: tensor.dtype for name, tensor in tensors.items() if tensor.is_floating_point()}
    first = next(own.parameters())
    for module in own.modules():
        for name, buffer in module.named_buffers(recurse=False):
            dtype = first.dtype if buffer.is_floating_point() else buffer.dtype
            setattr(module, name, buffer.to(first.device, dtype))
    return Checkpoint(own.eval(), config, architecture, Path(where), spare, dtypes)


def live_config(model: Any) -> dict[str, object]:
    """What config.json would say of it."""
    config: dict[str, object] = json.loads(model.config.to_json_string())
    return {**config, "architectures": [type(model).__name__]}


def live_tensors(model: Any) -> Mapping[str, Tensor]:
    """Its tensors by the names that they have in files; some libraries' versions hold several as one in memory."""
    tensors = {name: tensor for name, tensor in model.state_dict().items() if isinstance(tensor, Tensor)}
    loading = sys.modules.get("transformers.core_model_loading")
    revert = getattr(loading, "revert_weight_conversion", None)
    with torch.no_grad():
        return tensors if revert is None else revert(model, tensors)
