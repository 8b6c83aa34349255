"""Looking inside a model that is asked with text: lenses, circuits and memories with their words spelled out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypedDict

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.looking.circuits import Circuits, circuits, repeated_tokens
from regard.looking.lens import Lens, lens
from regard.looking.memories import promoted_tokens, triggers
from regard.looking.tables import HeadTable, TableKind
from regard.looking.unembed import Unembedding
from regard.models import Aligner, Transformer
from regard.pictures import Picture
from regard.tasks.replay import model_inputs
from regard.tasks.spelling import token_text, token_texts
from regard.tasks.task import Task
from regard.tasks.translate import TranslateTask
from regard.text import Encoded, Tokenizer, batches
from regard.text.lines import read_lines
from regard.text.padding import BATCH_TOKENS

PREFIX = 60  # letters of a prefix that are shown


@dataclass(frozen=True, eq=False)
class TextLens:
    """A lens on one text: `tokens` are what the model had read at each position, `usual` the one that matters most."""

    lens: Lens
    tokens: tuple[str, ...]
    usual: int
    spell: Callable[[Sequence[int]], tuple[str, ...]]

    def at(self, position: int) -> int:
        """A position counted from the front; -1 is the one that matters most."""
        index = self.usual if position == -1 else position if position >= 0 else len(self.tokens) + position
        if not 0 <= index < len(self.tokens):
            raise RegardError(f"there is no token {position}: {len(self.tokens)} of them, counted from 0")
        return index

    def words(self, at: int) -> list[list[tuple[str, float]]]:
        """After each layer, the likeliest words and their probabilities."""
        return [
            [*zip(self.spell(words), probabilities, strict=True)]
            for words, probabilities in zip(
                self.lens.words[:, 0, at].tolist(), self.lens.probabilities[:, 0, at].tolist(), strict=True
            )
        ]

    def picture(self) -> Picture:
        return self.lens.picture(self.tokens, self.spell)

    def plain(self, at: int) -> dict[str, object]:
        """For JSON."""
        layers = zip(self.lens.blocks, self.words(at), strict=True)
        return {
            "tokens": self.tokens,
            "position": at,
            "layers": [{"layer": layer, "words": words} for layer, words in layers],
        }


class TableRows(TypedDict):
    """A table of a head: how much it copies, and of some tokens what they go with, and how much."""

    copying: float
    rows: list[tuple[str, list[tuple[str, float]]]]


class UnitMemory(TypedDict):
    """A unit of a feed-forward layer: the prefixes that match its key, the words that its value promotes."""

    layer: str
    unit: int
    triggers: list[tuple[str, float]]
    promotes: list[tuple[str, float]]


def lens_of(task: Task, text: str, top: int = 5) -> TextLens:
    """The lens on a text; a translator is read while it writes its translation."""
    if isinstance(task, TranslateTask):
        return _translating(task, text, top)
    mask = task.tokenizer.specials.mask
    special = [] if mask is None else [task.tokenizer.token(mask)]
    encoded = task.processor.encode(text, special=special)
    position = encoded.ids.index(mask) if mask in encoded.ids else len(encoded) - 1
    batch = next(batches([encoded], pad=task.tokenizer.specials.pad, device=task.device), None)
    if batch is None or not len(encoded):
        raise RegardError("no token to look at: the text is empty")
    has_segments = Unembedding(task.model).embedding.segments is not None
    kwargs: dict[str, Any] = {"segments": batch.segments} if has_segments else {}
    text_lens = lens(task.model, batch.tokens, k=top, attention_mask=batch.attention_mask, **kwargs)
    return TextLens(text_lens, shown_tokens(text, encoded), position, partial(token_texts, task.tokenizer))


def _translating(task: TranslateTask, text: str, top: int) -> TextLens:
    inputs = written_text(task, text)
    spell = partial(token_texts, task.tokenizer.target)
    return TextLens(lens(task.model, *inputs, k=top), spell(inputs[-1][0].tolist()), inputs[-1].shape[1] - 1, spell)


def written_text(task: TranslateTask, text: str) -> list[Tensor]:
    """A text and its translation, as the model reads them when it writes the last token."""
    if isinstance(task.model, Aligner):
        raise RegardError("a recurrent translator has no layers to read one by one")
    source = task.read(text, split=False)
    (written,) = task.write([source], task.generation_config())
    for reading in task.readings(source, written, is_whole=True):
        return model_inputs(task.model, reading, task.device)
    raise RegardError("no token to look at: the text is empty")


def circuits_of(task: Task, text: str | None, *, length: int = 48) -> Circuits:
    """What heads do, on a text or on random tokens that come twice."""
    if text is None:
        most = length if task.max_length is None else min(length, task.max_length // 2 - 1)
        vocabulary = len(Unembedding(task.model).embedding.table.weight)
        tokens = repeated_tokens(vocabulary, most, first=task.tokenizer.specials.bos).to(task.device)
        return circuits(task.model, *((tokens, tokens) if isinstance(task.model, Transformer) else (tokens,)))
    if isinstance(task, TranslateTask):
        return circuits(task.model, *written_text(task, text))
    encoded = task.processor.encode(text)
    if not len(encoded):
        raise RegardError("no token to look at: the text is empty")
    return circuits(task.model, torch.tensor([encoded.ids], device=task.device))


def tables_of(task: Task, name: str, text: str | None, top: int) -> dict[str, TableRows]:
    """Both tables of a head, `name` as in decoder.0.self:3: rows of the tokens of a text, or the largest entries."""
    layer, _, number = name.rpartition(":")
    if not layer or not number.isdecimal():
        raise RegardError(f"a head is named by its layer and number, as in decoder.0.self:3, got {name!r}")
    tokenizer = task.tokenizer.target  # of a translator, whose decoder has the tables
    tables: dict[str, TableRows] = {}
    kinds: tuple[TableKind, TableKind] = ("qk", "ov")
    for kind in kinds:
        table = HeadTable.of(task.model, layer, int(number), kind)
        rows: list[tuple[str, list[tuple[str, float]]]] = []
        if text is None:
            for row, column, score in table.largest(top):
                rows.append((token_text(tokenizer, row), [(token_text(tokenizer, column), score)]))
        else:
            top_entries = table.top(tokenizer.encode(text, bare=True).ids, top)
            columns = top_entries.tokens, top_entries.scores, top_entries.words
            for token, scores, words in zip(*(column.tolist() for column in columns), strict=True):
                rows.append((token_text(tokenizer, token), [*zip(token_texts(tokenizer, words), scores, strict=True)]))
        tables[kind] = {"copying": table.copying(), "rows": rows}
    return tables


def memories_of(
    task: Task, data: str | Path, layers: Sequence[str], units: Sequence[int], count: int, top: int, limit: int
) -> Iterator[UnitMemory]:
    """For some units of feed-forward layers: the prefixes of a file that match their keys, the words they promote."""
    if isinstance(task.model, Transformer):
        raise RegardError("memories are looked into with single texts: an encoder or a decoder expected")
    texts = [line for line in islice(read_lines(data), limit) if line.strip()]
    encoded = [task.processor.encode(text, number, cut=True) for number, text in enumerate(texts, 1)]
    triggers_by_layer = triggers(task.model, _calls(task, encoded), *layers, k=top)
    unembedding = Unembedding(task.model)
    for layer, layer_triggers in triggers_by_layer.items():
        chosen = list(units) or layer_triggers.match[:, 0].topk(min(count, len(layer_triggers.match))).indices.tolist()
        if wrong := [unit for unit in chosen if not 0 <= unit < len(layer_triggers.match)]:
            raise RegardError(f"{layer} has units 0 to {len(layer_triggers.match) - 1}, got {wrong[0]}")
        words = promoted_tokens(task.model, layer, chosen, top) if layer in unembedding.blocks else None
        for row, unit in enumerate(chosen):
            yield {
                "layer": layer,
                "unit": unit,
                "triggers": [
                    (prefix(texts[trigger.text], encoded[trigger.text], trigger.position), trigger.match)
                    for trigger in layer_triggers.of(unit)
                ],
                "promotes": [] if words is None else token_names(task.tokenizer, words.words[row], words.scores[row]),
            }


def _calls(task: Task, encoded: Sequence[Encoded]) -> Iterator[tuple[Callable[[], object], Tensor]]:
    """The texts in their order, some at a time."""
    start = 0
    while start < len(encoded):
        stop = start + 1
        while stop < len(encoded) and max(map(len, encoded[start : stop + 1])) * (stop + 1 - start) <= BATCH_TOKENS:
            stop += 1
        (batch,) = batches(
            encoded[start:stop], pad=task.tokenizer.specials.pad, batch_tokens=1 << 40, device=task.device
        )
        order = sorted(range(len(batch.rows)), key=lambda at: batch.rows[at])
        tokens, attention_mask = batch.tokens[order], batch.attention_mask[order]
        yield (
            (lambda tokens=tokens, attention_mask=attention_mask: task.model(tokens, attention_mask=attention_mask)),
            attention_mask,
        )
        start = stop


def shown_tokens(text: str, encoded: Encoded) -> tuple[str, ...]:
    """What each token stands for in its text, the space before it included; its name where it stands for nothing."""
    names, before = [], 0
    for token, (begin, end), which in zip(encoded.tokens, encoded.offsets, encoded.texts, strict=True):
        names.append(token if which is None or end <= begin else text[min(before, begin) : end])
        before = before if which is None else max(before, end)
    return tuple(names)


def prefix(text: str, encoded: Encoded, position: int) -> str:
    """The end of a text as far as one of its tokens; a token that stands for nothing is named."""
    end = max(
        (
            stop
            for (_, stop), which in zip(encoded.offsets[: position + 1], encoded.texts, strict=False)
            if which is not None
        ),
        default=0,
    )
    whole = text[:end] if encoded.texts[position] is not None else f"{text[:end]}{encoded.tokens[position]}"
    return whole if len(whole) <= PREFIX else "…" + whole[-PREFIX:]


def token_names(tokenizer: Tokenizer, words: Tensor, scores: Tensor) -> list[tuple[str, float]]:
    return [*zip(token_texts(tokenizer, words.tolist()), scores.tolist(), strict=True)]
