"""Models of text: how likely they find it, all of it in windows, or words of it that are hidden."""

from collections.abc import Sequence

import numpy as np
import torch

from regard.attention.taps import unwatched
from regard.errors import RegardError
from regard.models import TransformerXL
from regard.tasks.evaluation.measures import Evaluation, EvaluationConfig, OnShare, counting, report_batches, wording
from regard.tasks.fill import FillTask
from regard.tasks.generate import GenerateTask
from regard.text import Corpus, DataError, Tokenizer
from regard.training.data.batch_source import mix_seeds
from regard.training.data.samplers import valid_batches
from regard.training.data.streams import continued_batches
from regard.training.evaluation.held_out import loss_totals
from regard.training.objectives import MaskedObjective, NextTokenObjective, Row
from regard.training.objectives.masked import MaskedBatch
from regard.training.optimisation.learner import Learner

ROOM = 4096  # tokens that are read at a time
USUAL = {"generate": 1024, "fill": 512}  # tokens of a window, at most, where nobody says


def language_models(
    task: GenerateTask, corpus: Corpus, config: EvaluationConfig, on_progress: OnShare | None = None
) -> Evaluation:
    """The loss of every token but the first, as after training: windows side by side, each knowing only itself, or one
    after the other where a model remembers."""
    texts, tokens = read(corpus, task.tokenizer)
    context = window(task, config)
    rows: list[Row] = [(tokens[start : start + context + 1],) for start in range(0, len(tokens) - 1, context)]
    objective = NextTokenObjective(pad=task.tokenizer.specials.pad or 0)
    if isinstance(task.model, TransformerXL) and task.model.config.memory:
        batches = continued_batches(tokens, context, 1, objective)
    else:
        batches = valid_batches(rows, objective, batch_tokens=ROOM, seed=0)
    with unwatched(), torch.no_grad():
        totals = loss_totals(
            Learner(task.model, objective), report_batches(batches, counting(on_progress, len(tokens) - 1))
        )
    counts = {"tokens": totals.count, "context": context}
    return Evaluation("generate", len(texts), wording(totals, texts), {"loss": counts})


def masked_models(
    task: FillTask, corpus: Corpus, config: EvaluationConfig, on_progress: OnShare | None = None
) -> Evaluation:
    """The loss of hidden words, 15 % of all, as in training; which ones follows from the seed and the window."""
    texts, tokens = read(corpus, task.tokenizer)
    objective, context = masking_objective(task), window(task, config)
    if context < 3:
        raise RegardError(f"a window of {context} tokens has no room for words")
    size = context - 2
    windows = [tokens[start : start + size] for start in range(0, len(tokens), size)]
    hidden = [
        objective.batch([(text,)], torch.Generator().manual_seed(mix_seeds(config.seed, number)))
        for number, text in enumerate(windows)
    ]
    rows = max(1, ROOM // context)
    whole, rest = (hidden, []) if len(windows[-1]) == len(windows[0]) else (hidden[:-1], hidden[-1:])
    batches = [pad_windows(whole[first : first + rows]) for first in range(0, len(whole), rows)] + rest
    batches = [batch for batch in batches if batch.count]
    on_batch = counting(on_progress, sum(batch.count for batch in batches))
    with unwatched(), torch.no_grad():
        totals = loss_totals(Learner(task.model, objective), report_batches(batches, on_batch))
    counts = {"tokens": totals.count, "context": context, "seed": config.seed}
    return Evaluation("fill", len(texts), totals.means(), {"loss": counts})


def masking_objective(task: FillTask) -> MaskedObjective:
    """Words hidden as in training."""
    specials = task.tokenizer.specials
    if specials.mask is None or specials.cls is None or specials.sep is None:
        raise RegardError(f"{task.checkpoint.folder}: its tokeniser lacks one of the tokens mask, cls and sep")
    return MaskedObjective(
        mask=specials.mask,
        frame=(specials.cls, specials.sep),
        vocabulary=len(task.tokenizer),
        special=list(specials),
        pad=specials.pad or 0,
    )


def read(corpus: Corpus, tokenizer: Tokenizer) -> tuple[list[str], np.ndarray]:
    """The texts, and their tokens in one row."""
    if corpus.columns != ("text",):
        raise DataError(
            f"{corpus.location(0)}: one text a line expected, the corpus has {' and '.join(corpus.columns)}"
        )
    texts = [text for (text,) in corpus]
    tokens = np.array([number for text in texts for number in tokenizer.encode(text, bare=True).ids], dtype=np.int64)
    if len(tokens) < 2:
        raise DataError(f"{corpus.location(0)}: fewer than two tokens")
    return texts, tokens


def window(task: GenerateTask | FillTask, config: EvaluationConfig) -> int:
    """How many tokens are read together."""
    if config.context is None:
        return min(task.max_length or USUAL[task.name], USUAL[task.name])
    if config.context < 1 or (task.max_length is not None and config.context > task.max_length):
        raise RegardError(f"context = {config.context}: the model reads from 1 to {task.max_length} tokens")
    return config.context


def pad_windows(windows: Sequence[MaskedBatch]) -> MaskedBatch:
    """Windows of one length as one batch."""
    width = windows[0].inputs.shape[1]
    return MaskedBatch(
        torch.cat([one.inputs for one in windows]),
        None,
        None,
        torch.cat([one.positions + row * width for row, one in enumerate(windows)]),
        torch.cat([one.answers for one in windows]),
        None,
        sum(one.count for one in windows),
        sum(one.tokens for one in windows),
    )
