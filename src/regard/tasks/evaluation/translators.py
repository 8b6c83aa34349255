"""Translators: what they write, and how likely they find what they should have written."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from regard.attention.taps import unwatched
from regard.errors import RegardError
from regard.models import Decoder
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
from regard.tasks.processors.processor import LONGEST_TEXT, TextTooLong
from regard.tasks.translate import TranslateTask
from regard.text import Corpus, DataError, Tokenizer
from regard.training import objectives
from regard.training.data.samplers import valid_batches
from regard.training.evaluation.held_out import Totals, loss_totals
from regard.training.evaluation.sacre_bleu import SacreBleu
from regard.training.objectives import Row
from regard.training.optimisation.learner import Learner

ROOM = 4096  # tokens whose losses are computed at a time
WRITING = 0.9  # the share of the time that it takes to write, roughly
MARK = re.compile("@@( |$)")


def translators(
    task: TranslateTask | GenerateTask, corpus: Corpus, config: EvaluationConfig, on_progress: OnShare | None = None
) -> Evaluation:
    """BLEU and chrF of what is written, the perplexity of the references; all of it by length of the source, too.

    Where lines are split into sentences there is no perplexity: nobody knows the parts of a reference.
    """
    sacre = SacreBleu(config.tokenize, config.lowercase)
    pairs = samples(corpus)
    sides = [source for source, _ in pairs], [target for _, target in pairs]
    reader = TranslationReader(translate_task(task), config)
    numbered = enumerate(zip(*sides, strict=True))
    rows = None if config.split else [reader.row(*pair, corpus.location(line)) for line, pair in numbered]
    is_marked = removes_marks(task.tokenizer.target) if config.bpe_removed is None else config.bpe_removed
    plain: Callable[[str], str] = remove_marks if is_marked else str
    sources, references = ([plain(text) for text in side] for side in sides)
    written = reader.write(sides[0], counting(on_progress, len(pairs), 0.0, WRITING))
    hypotheses = [plain(" ".join(text.splitlines())) for text in written]

    groups = by_length(sources)
    on_batch = counting(on_progress, sum(len(row[1]) for row in rows or ()), WRITING, 1.0)
    sums = (
        {name: reader.totals([rows[line] for line in lines], on_batch) for name, lines in groups.items()}
        if rows
        else {}
    )
    table: dict[str, dict[str, float]] = {}
    for name, lines in groups.items():
        group_scores = sacre.scores([hypotheses[line] for line in lines], [references[line] for line in lines])
        likely = {"perplexity": sums[name].means()["perplexity"]} if rows else {}
        table[name] = {"texts": len(lines), **{key: score.score for key, score in group_scores.items()}, **likely}
    corpus_scores = sacre.scores(hypotheses, references)
    scores = {name: score.score for name, score in corpus_scores.items()}
    if rows:
        scores |= wording(sum(sums.values(), Totals()), references)
    bleu, signatures = corpus_scores["bleu"], sacre.signatures()
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


def translate_task(task: TranslateTask | GenerateTask) -> TranslateTask:
    """The same model as a translator: a language model may have learned to be one."""
    if isinstance(task, TranslateTask):
        return task
    if not TranslateTask.serves(task.model.config, task.checkpoint.folder):
        where = task.checkpoint.folder
        raise RegardError(f"{where}: a language model that never learned to translate; one text expected, no pairs")
    return TranslateTask(task.checkpoint, task.tokenizer)


@dataclass(frozen=True)
class TranslationReader:
    """A translator of two parts, or one that reads source and target in one stream."""

    task: TranslateTask
    config: EvaluationConfig

    @property
    def objective(self) -> objectives.TranslationObjective:
        """How unlikely the targets are, each word told those before it."""
        pad = self.task.tokenizer.specials.pad or 0
        one_stream = isinstance(self.task.model, Decoder)
        return objectives.TranslationObjective(start=self.task.processor.start(), pad=pad, one_stream=one_stream)

    def row(self, source: str, target: str, where: str) -> Row:
        """A pair as tokens; too long for the model is an error."""
        task = self.task
        out = task.processor.encode_target(target).ids
        most = task.processor.max_target_length() or LONGEST_TEXT
        code = "" if self.config.language is None else task.processor.code(self.config.language)
        try:
            read = task.processor.read_source(source, None, code).ids
        except TextTooLong as problem:
            raise DataError(f"{where}: {problem}") from None
        length = len(out) + (len(read) if isinstance(task.model, Decoder) else 0)
        if length > most:
            raise DataError(f"{where}: {length} tokens to write, the model has positions for {most}")
        return np.array(read), np.array(out)

    def write(self, texts: Sequence[str], on_progress: Callable[[int], None]) -> list[str]:
        answers = self.task(
            texts,
            language=self.config.language,
            split=self.config.split,
            progress=on_progress,
            beam=self.config.beam,
            length_penalty=self.config.length_penalty,
            sample=False,
            precision=self.config.precision,
            protect=False,  # the score is of the model alone
        )
        return [answer.text for answer in answers]

    @torch.no_grad()
    def totals(self, rows: Sequence[Row], on_batch: Callable[[int], None]) -> Totals:
        """How likely the targets are, each word told those before it."""
        batches = valid_batches(rows, self.objective, batch_tokens=ROOM, seed=0)
        with unwatched():
            return loss_totals(Learner(self.task.model, self.objective), report_batches(batches, on_batch))
