"""The engine's library, its calls written down for replay_driver.cpp: what makes models, and what is done with them.

A record is the number of a function and its arguments, eight bytes each; what an argument points at follows its length.
"""

import ctypes
import struct
from functools import partial

from regard.engine.library import Library

MISSING = -1  # the length of what is not there


def numbers(address, count, size=4):
    """What so many numbers are, as bytes."""
    return None if address is None else ctypes.string_at(address, count * size)


def attention(spec):
    """The numbers of heads that a layer points at."""
    return [numbers(field or None, spec.heads) for field in (spec.kv_head_of, spec.numbers)]


def stack(model, which, spec):
    spec = spec._obj
    return model, which, bytes(spec), numbers(spec.embedding, spec.vocabulary * spec.embedding_width)


def layer(model, which, spec):
    spec = spec._obj
    return model, which, bytes(spec), *attention(spec.self), *attention(spec.cross)


def change(state, kind, layer, gates, inverse_temperatures, heads, hidden, positions):
    tensors = numbers(gates, heads), numbers(inverse_temperatures, heads), numbers(hidden, positions, 1)
    return state, kind, layer, *tensors, heads, positions


def text(state, tokens, mask, rows, length, *rest):
    """The arguments of read and step; what they write is not kept."""
    return state, numbers(tokens, rows * length, 8), numbers(mask, rows * length, 1), rows, length, rest[-1]


def look(state, spec, *rest):
    """The arguments of weights and looks; what they write is not kept."""
    spec = spec._obj
    heads = [numbers(rest[0], spec.heads)] if len(rest) == 3 else []
    return state, bytes(spec), *heads, rest[-1]


RECORDS = {  # in the order of replay_driver.cpp
    "model": lambda precision: (precision,),
    "linear": lambda model, weight, bias, width, out, scale: (
        *(model, numbers(weight, width * out), numbers(bias, out)),
        *(width, out, scale),
    ),
    "norm": lambda model, weight, bias, width, is_rms, epsilon: (
        *(model, numbers(weight, width), numbers(bias, width)),
        *(width, int(is_rms), epsilon),
    ),
    "stack": stack,
    "layer": layer,
    "table": lambda model, which, kind, data, rows, width: (
        *(model, which, kind),
        *(numbers(data, rows * width), rows, width),
    ),
    "slopes": lambda model, which, slopes, heads: (model, which, numbers(slopes, heads), heads),
    "output": lambda model, spec: (model, bytes(spec._obj)),
    "state": lambda model: (model,),
    "state_free": lambda state: (state,),
    "change": change,
    "read": text,
    "step": text,
    "select": lambda state, rows, count: (state, numbers(rows, count, 8), count),
    "top": lambda logits, rows, words, count, scores, which, logsumexp, threads: (
        *(numbers(logits, rows * words), rows, words),
        *(count, threads),
    ),
    "fingerprint": lambda data, sizes, count, lines, threads, value: (bytes(sizes), count, lines, threads),
    "watch": lambda state, kind, layer: (state, kind, layer),
    "weights": look,
    "looks": look,
    "join": lambda state, other, length: (state, other),
}


BUILDING = {"model", "linear", "norm", "stack", "layer", "slopes", "output"}


class Recorder(Library):
    """A library that does what it is told and writes it down. Models that it made have to outlive it."""

    def __init__(self, path, models, texts):
        super().__init__(path)
        self.models, self.texts, self.calls, self.whole = models, texts, 0, set()
        for number, name in enumerate(RECORDS):
            setattr(self, name, partial(self.record, number, name, getattr(self, name)))

    def record(self, number, name, function, *arguments):
        fields = list(RECORDS[name](*arguments))  # before the call: it may write over what it reads
        answer = function(*arguments)
        if name in ("model", "state"):
            fields.append(answer)
        if name == "output":
            self.whole.add(arguments[0])
        is_building = name in BUILDING or (name == "table" and arguments[0] not in self.whole)
        (self.models if is_building else self.texts).write(
            struct.pack("q", number) + b"".join(map(field_bytes, fields))
        )
        self.calls += not is_building
        return answer


def field_bytes(field):
    if isinstance(field, float):
        return struct.pack("d", field)
    if isinstance(field, int):
        return struct.pack("q", field)
    if field is None:
        return struct.pack("q", MISSING)
    return struct.pack("q", len(field)) + field + b"\0" * (-len(field) % 8)
