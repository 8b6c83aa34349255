"""The looks of a model of torch at its sources, as the engine tells them: no pass of the model."""

from collections.abc import Sequence

import torch
from torch import Tensor

from regard.engine import Engine, Unsupported, serve
from regard.engine.state import EngineState
from regard.models import Aligner, Decoder, Transformer
from regard.tasks.engine_looks import read_weights
from regard.tasks.inputs import Reading


def engine_weights(
    model: Transformer | Aligner | Decoder, readings: Sequence[Reading], layers: Sequence[str]
) -> list[dict[str, Tensor]] | None:
    """`read_weights` of a model, as tensors; None where only the model can tell."""
    engine = serve(model)
    is_decoder = isinstance(model, Decoder)
    kind = "self" if is_decoder else "cross"
    if not isinstance(engine, Engine) or any(layer not in own_layers(engine.model, kind) for layer in layers):
        return None

    def start(*source: object) -> EngineState:
        tensors = [torch.from_numpy(array) if array is not None else None for array in source]
        return engine.start_watched(layers, *tensors)

    try:
        rows = read_weights(start, readings, layers, has_source=not is_decoder)
    except Unsupported:
        return None
    return [{layer: torch.from_numpy(table) for layer, table in row.items()} for row in rows]


def own_layers(model: Transformer | Decoder, kind: str) -> list[str]:
    """The layers in which a model looks at its source."""
    return [f"decoder.{number}.{kind}" for number in range(len(model.decoder.stack.blocks))]
