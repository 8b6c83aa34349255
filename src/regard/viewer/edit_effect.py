"""What edits did to an answer: its words, the words that competed, the log-probability that it lost."""

from collections.abc import Sequence
from difflib import SequenceMatcher

import torch
import torch.nn.functional as F
from torch import Tensor

from regard.errors import RegardError
from regard.looking import edit
from regard.looking.edit_fields import Record
from regard.tasks import Task
from regard.tasks.inputs import Reading
from regard.tasks.replay import run_readings
from regard.viewer.candidates import OPTIONS, next_token_probabilities
from regard.viewer.overflow import REASON
from regard.viewer.payload import ChangeKind, CompetingTokens, EditEffect, ProbabilityShift, TextChange, TokenColumn
from regard.viewer.run_result import RunResult
from regard.viewer.task_runs import LONG
from regard.viewer.token_columns import option_texts

CHANGES: dict[str, ChangeKind] = {"equal": "same", "delete": "removed", "insert": "added", "replace": "replaced"}
Records = Sequence[Record]


@torch.no_grad()
def edit_effect(
    task: Task, base: tuple[str, RunResult, Records], after_and_edits: tuple[RunResult, Records]
) -> EditEffect:
    """Two answers to the same text, under two lists of edits."""
    name, before, earlier = base
    after, edits = after_and_edits
    competing: list[CompetingTokens] = []
    drop = None
    side = before.sides[-1]
    if before.reading is not None and len(side.ids) > side.prefix_length and len(side.ids) <= LONG:
        chances = [probabilities(task, before.reading, side, records) for records in (earlier, edits)]
        competing, drop = competing_tokens(task, side, *chances)
    return EditEffect(
        base=name,
        before=before.answer.text,
        after=after.answer.text,
        score_before=before.answer.score,
        score_after=after.answer.score,
        log_probability_drop=drop,
        text_changes=text_changes(before.answer.text, after.answer.text),
        competing_tokens=competing,
        options=probability_shifts(before.probabilities, after.probabilities),
        similarity=similarity(before.answer.vector, after.answer.vector),
    )


def text_changes(before: str, after: str) -> list[TextChange]:
    """Words that stayed, went or came, in order."""
    words_before, words_after = before.split(), after.split()
    matcher = SequenceMatcher(None, words_before, words_after, autojunk=False)
    return [
        TextChange(kind=CHANGES[kind], before=words_before[a:b], after=words_after[c:d])
        for kind, a, b, c, d in matcher.get_opcodes()
    ]


def probabilities(task: Task, reading: Reading, side: TokenColumn, edits: Records) -> Tensor:
    """Of every word, after each token of the base's text that something was written after: (rows, vocabulary)."""
    with edit(task.model, edits):
        x = run_readings(task.model, [reading], task.device)[0]
    first = max(side.prefix_length - 1, 0)
    chances = next_token_probabilities(task.model, x[first : first + len(side.ids) - side.prefix_length])
    if chances.isnan().any():
        raise RegardError(f"the text of the run before has scores that are not finite numbers: {REASON}")
    return chances


def competing_tokens(
    task: Task, side: TokenColumn, before: Tensor, after: Tensor
) -> tuple[list[CompetingTokens], float]:
    """The words in question at each step, and by how much the log-probability of the written ones fell."""
    tokenizer = task.tokenizer.target if side.name == "target" else task.tokenizer
    ids = side.ids[side.prefix_length :]
    index = torch.tensor(ids, device=before.device)[:, None]
    drops = before.gather(1, index).log() - after.gather(1, index).log()
    count = min(OPTIONS, before.shape[1])
    best = torch.cat([index, before.topk(count).indices, after.topk(count).indices], 1).tolist()
    competing = []
    for step, numbers in enumerate(best):
        row = max(side.prefix_length - 1, 0) + step
        numbers = list(dict.fromkeys(numbers))
        texts = option_texts(side.ids[: row + 1], numbers, tokenizer)
        options = [
            ProbabilityShift(text=text, id=number, before=float(before[step, number]), after=float(after[step, number]))
            for text, number in zip(texts, numbers, strict=True)
        ]
        competing.append(CompetingTokens(row=row, text=side.texts[side.prefix_length + step], options=options))
    total = float(drops.sum())
    return competing, total if torch.isfinite(drops).all() else float(drops.clamp(-1e4, 1e4).nan_to_num(0).sum())


def probability_shifts(before: dict[str, float], after: dict[str, float]) -> list[ProbabilityShift]:
    """Labels or answers that both give a probability to, the likeliest of either first."""
    shared = [name for name in before if name in after]
    order = sorted(shared, key=lambda name: -max(before[name], after[name]))[: 4 * OPTIONS]
    return [ProbabilityShift(text=name, before=before[name], after=after[name]) for name in order]


def similarity(before: list[float], after: list[float]) -> float | None:
    if not before or len(before) != len(after):
        return None
    return float(F.cosine_similarity(torch.tensor(before), torch.tensor(after), dim=0))
