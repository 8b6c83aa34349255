"""How fast memory can be read, and how much of it a decoder reads."""

from typing import Any

import torch

from regard.tasks.benchmark import Spread, Workload, time_interleaved

MIB = 1 << 20


def streaming(mebibytes: int = 512, rounds: int = 9) -> Spread:
    """Bytes a second with torch's threads, from an array that no cache can hold."""
    numbers = torch.ones(mebibytes * MIB // 4)
    times = time_interleaved({"read": numbers.sum}, rounds, seconds=20, first={"read": 0.0})
    return Spread.of([numbers.nbytes / second for second in times["read"]])


def read(model: Any, case: Workload) -> int:
    """Bytes of float32 weights that have to be read to write one text: the source's once, the decoder's every step."""
    decoder, table = _bytes(model.decoder.stack), model.decoder.embedding.table.weight.nbytes
    if not hasattr(model, "encoder"):
        return case.write * (decoder + table)
    once = _bytes(model.decoder.stack, "cross.kv")
    return _bytes(model.encoder.stack) + once + case.write * (decoder - once + table)


def _bytes(module: Any, part: str = "") -> int:
    return sum(parameter.nbytes for name, parameter in module.named_parameters() if part in name)
