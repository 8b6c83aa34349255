"""Recent answers that can be looked into: what was read and written is kept, and attention computed when it is asked.

Only token ids are stored. A look is one more pass over them with one layer watched, under the edits of the request.
"""

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.config import DecoderConfig, EncoderConfig
from regard.serving.entries import Entries, MemoryEntries, make_room
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import Refusal
from regard.serving.writing import edited

if TYPE_CHECKING:
    from regard.attention import Pattern
    from regard.tasks import Task
    from regard.tasks.inputs import Reading


@dataclass(frozen=True)
class StoredAnswer:
    """An answer, one reading for each of its sentences; `client` is who may look."""

    id: str
    task: "Task"
    readings: "tuple[Reading, ...]"
    edits: str
    client: str

    def layers(self) -> list[str]:
        """Where the model attends."""
        if (light := self.task.folder_model) is not None:
            return list(light.packed().layers)
        from regard.looking.layer_names import LayerNames

        return list(LayerNames(self.task.model).layers)

    def reading(self, sentence: int) -> "Reading":
        if sentence >= len(self.readings):
            raise Refusal(400, f"sentence: the answer has {len(self.readings)} sentences, counted from 0")
        return self.readings[sentence]

    def tokens(self, sentence: int) -> dict[str, list[str]]:
        """The tokens of both sides, as a layer has them in its rows and columns; one side where there is one stream."""
        reading, tokenizer = self.reading(sentence), self.task.tokenizer
        source, target = tokenizer.tokens(reading.source), tokenizer.target.tokens(reading.target)
        if self.has_one_stream:
            return {"text": [*source, *target]}
        return {"source": list(source), "target": list(target)}

    @property
    def has_one_stream(self) -> bool:
        return isinstance(self.task.config, DecoderConfig | EncoderConfig)

    def pattern(self, layer: str, sentence: int) -> "Pattern":
        """What a layer attended to: one pass over the sentence."""
        reading, model = self.reading(sentence), self.task.model  # which says so where there is no torch
        import torch

        from regard.looking import watch
        from regard.tasks.replay import run_readings

        if layer not in self.layers():
            raise Refusal(400, f"layer: one of {', '.join(self.layers())} expected, got {layer[:80]!r}")
        with torch.no_grad(), edited(self.task, self.edits), watch(model, layer) as seen:
            run_readings(model, [reading], self.task.device)
        return seen[layer]

    def region(
        self, layer: str, head: int, rows: Sequence[int], columns: Sequence[int], sentence: int, cells: int
    ) -> np.ndarray:
        """The exact weights of some rows and columns of a head."""
        pattern = self.pattern(layer, sentence)
        heads, queries, keys = pattern.query.shape[1], pattern.query.shape[2], pattern.key.shape[2]
        if head >= heads:
            raise Refusal(400, f"head: {layer} has heads 0 to {heads - 1}, got {head}")
        begin, end = rows[0], min(rows[1], queries)
        first, last = columns[0], min(columns[1], keys)
        if begin >= end or first >= last:
            raise Refusal(400, f"rows and columns: a region of the {queries} x {keys} weights expected")
        if (end - begin) * (last - first) > cells:
            raise Refusal(400, f"a region of at most {cells} weights expected, got {end - begin} x {last - first}")
        weights: Any = pattern[0, head, begin:end, first:last]
        return weights.float().cpu().numpy().reshape(end - begin, last - first)


TOKEN_BYTES = 8  # of a stored token, about


class AnswerStore:
    """The answers that were asked about or made last; `tasks` gives those that make them, by name."""

    def __init__(
        self, limits: ServiceLimits, tasks: "Callable[[], Mapping[str, Task]]", entries: Entries | None = None
    ) -> None:
        self.limits = limits
        self.tasks = tasks
        self.entries: Entries = entries or MemoryEntries()

    def add(self, task: "Task", readings: "Sequence[Reading]", edits: str, client: str) -> StoredAnswer:
        """Store an answer; the oldest make room."""
        answer = StoredAnswer(f"att-{secrets.token_hex(12)}", task, tuple(readings), edits, client)
        name = next(name for name, own in self.tasks().items() if own is task)
        fields = {"task": name, "readings": [vars(reading) for reading in readings], "edits": edits, "client": client}
        self.entries.put(answer.id, json.dumps(fields, default=list).encode())
        make_room(self.entries, self.limits.stored_answers, TOKEN_BYTES * self.limits.stored_tokens)
        return answer

    def get(self, name: str, client: str) -> StoredAnswer:
        from regard.tasks.inputs import Reading

        content = self.entries.get(name)
        fields = None if content is None else json.loads(content)
        if fields is None or fields["client"] != client:
            raise Refusal(404, "no such answer: it made room for newer ones, or never was", code="not_found")
        self.entries.touch(name)
        readings = tuple(Reading(**reading) for reading in fields["readings"])
        return StoredAnswer(name, self.tasks()[fields["task"]], readings, fields["edits"], client)
