"""Translators: what they write, and how likely they find what they should have written."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from regard.attention.taps import unwatched
from regard.errors import RegardError
from regard.tasks.evaluation.measures import (
    WORDS,
    Evaluation,
    EvaluationConfig,
    OnShare,
    by_length,
    counting,
    report_batches,
    samples,
    wording,
)
from regard.tasks.generate import GenerateTask
from regard.tasks.task import TextTooLong
from regard.tasks.translate import TranslateTask
from regard.text import Corpus, DataError, Tokenizer
from regard.training import objectives
from regard.training.data.samplers import valid_batches
from regard.training.evaluation.held_out import Totals, TranslationSet, loss_totals
from regard.training.evaluation.sacre_bleu import SacreBleu
from regard.training.objectives import Row
from regard.training.optimisation.learner import Learner

ROOM = 4096  # tokens whose losses are computed at a time
WRITING = 0.9  # the share of the time that it takes to write, roughly
MARK = re.compile("@@( |$)")


def translators(
    task: TranslateTask | GenerateTask, corpus: Corpus, asked: EvaluationConfig, on_progress: OnShare | None = None
) -> Evaluation:
    """BLEU and chrF of what is written, the perplexity of the references; all of it by length of the source, too.

    Where lines are split into sentences there is no perplexity: nobody knows the parts of a reference.
    """
    sacre = SacreBleu(asked.tokenize, asked.lowercase)
    pairs = samples(corpus)
    sides = [source for source, _ in pairs], [target for _, target in pairs]
    reader = TranslationReader(task, asked)
    numbered = enumerate(zip(*sides, strict=True))
    rows = None if asked.split else [reader.row(*pair, corpus.location(line)) for line, pair in numbered]
    is_marked = removes_marks(task.tokenizer.target) if asked.bpe_removed is None else asked.bpe_removed
    plain: Callable[[str], str] = remove_marks if is_marked else str
    sources, references = ([plain(text) for text in side] for side in sides)
    written = reader.write(sides[0], rows, counting(on_progress, len(pairs), 0.0, WRITING))
    hypotheses = [plain(" ".join(text.splitlines())) for text in written]

    groups = by_length(sources)
    told = counting(on_progress, sum(len(row[1]) for row in rows or ()), WRITING, 1.0)
    sums = {name: reader.totals([rows[line] for line in lines], told) for name, lines in groups.items()} if rows else {}
    table: dict[str, dict[str, float]] = {}
    for name, lines in groups.items():
        found = sacre.scores([hypotheses[line] for line in lines], [references[line] for line in lines])
        likely = {"perplexity": sums[name].means()["perplexity"]} if rows else {}
        table[name] = {"texts": len(lines), **{key: score.score for key, score in found.items()}, **likely}
    found = sacre.scores(hypotheses, references)
    scores = {name: score.score for name, score in found.items()}
    if rows:
        scores |= wording(sum(sums.values(), Totals()), references)
    bleu, signatures = found["bleu"], sacre.signatures()
    counts = {"precisions": bleu.precisions, "bp": bleu.bp, "hyp_len": bleu.sys_len, "ref_len": bleu.ref_len}
    details = {name: {"signature": signature} for name, signature in signatures.items()}
    details["bleu"] |= counts
    return Evaluation("translate", len(pairs), scores, details, {WORDS: table}, hypotheses)


def removes_marks(tokenizer: Tokenizer) -> bool:
    """Whether a tokeniser joins "ma@@ chine" when it writes: one for texts that were cut before it saw them."""
    numbers = (number for token, number in tokenizer.vocabulary.items() if token.endswith("@@") and token != "@@")
    return next((not tokenizer.decode([number]).endswith("@@") for number in numbers), False)


def remove_marks(text: str) -> str:
    """The words whole again: Sennrich et al. 2016."""
    return MARK.sub("", text)


def start_of(task: GenerateTask) -> int | None:
    """The token after which a language model translates what it has read; None: it does no such thing."""
    return task.settings.number("decoder_start_token_id")


@dataclass(frozen=True)
class TranslationReader:
    """A translator of two parts, or one that reads source and target in one stream."""

    task: TranslateTask | GenerateTask
    config: EvaluationConfig

    @property
    def start(self) -> int:
        start = start_of(self.task) if isinstance(self.task, GenerateTask) else self.task.start()
        if start is None:
            where = self.task.checkpoint.folder
            raise RegardError(f"{where}: a language model that never learned to translate; one text expected, no pairs")
        return start

    def row(self, source: str, target: str, place: str) -> Row:
        """A pair as tokens; too long for the model is an error."""
        task = self.task
        out = task.tokenizer.target.encode(target).ids
        if isinstance(task, GenerateTask):
            read, length, most = task.tokenizer.encode(source).ids, len(out), task.max_length
            length += len(read)
        else:
            code = "" if self.config.language is None else task.code(self.config.language)
            try:
                read = task.read_source(source, None, code).ids
            except TextTooLong as problem:
                raise DataError(f"{place}: {problem}") from None
            length, most = len(out), task.max_target_length()
        if most is not None and length > most:
            raise DataError(f"{place}: {length} tokens to write, the model has places for {most}")
        return np.array(read), np.array(out)

    def write(self, texts: Sequence[str], rows: Sequence[Row] | None, on_progress: Callable[[int], None]) -> list[str]:
        task, config = self.task, self.config
        if isinstance(task, TranslateTask):
            options: dict[str, Any] = {"beam": config.beam, "length_penalty": config.length_penalty}
            options |= {"precision": config.precision, "language": config.language, "split": config.split}
            return [answer.text for answer in task(texts, sample=False, progress=on_progress, **options)]
        if rows is None or config.precision != "float32":
            raise RegardError("a translator of one stream takes neither split nor a precision")
        options = vars(
            task.settings.generation_config(beam=config.beam, length_penalty=config.length_penalty, sample=False)
        )
        sources = [row[0].tolist() for row in rows]
        search = options["beam"], options["length_penalty"]
        with unwatched(), torch.no_grad():
            texts_written = TranslationSet(sources, (), task.tokenizer, self.start, *search).translations(
                task.model, lambda: None
            )
        on_progress(len(texts))
        return texts_written

    @torch.no_grad()
    def totals(self, rows: Sequence[Row], told: Callable[[int], None]) -> Totals:
        """How likely the targets are, each word told those before it."""
        one_stream = isinstance(self.task, GenerateTask)
        pad = self.task.tokenizer.specials.pad or 0
        objective = objectives.TranslationObjective(start=self.start, pad=pad, one_stream=one_stream)
        batches = valid_batches(rows, objective, batch_tokens=ROOM, seed=0)
        with unwatched():
            return loss_totals(Learner(self.task.model, objective), report_batches(batches, told))
