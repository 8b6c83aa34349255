"""Pieces of strangers in one batch, on a real model. Also tests: serving/translation_writer.py, serving/writing.py."""

from dataclasses import replace

import pytest
from serving.small import task

from regard.decoding.running import RunningTexts
from regard.errors import RegardError
from regard.serving.batching import Piece, RunningBatch, Submission
from regard.serving.continuation import ContinuationWriter, PromptPiece
from regard.serving.side_by_side import STEPS_BETWEEN, SideBySide
from regard.serving.translation_writer import TranslationWriter

TEXTS = [
    "He did not come, since it rained the whole day and the roads were wet, and nobody knew where he was.",
    "Yes.",
    "Call me at 555-1234, {name}, when you are at home.",
    "I am tired.",
    "She gave <b>him</b> the book.",
]


class Batch(RunningBatch):
    """Gives so many pieces at first, and one more at each time that it is asked."""

    def __init__(self, pieces, first=1):
        self.waiting, self.first, self.settled, self.problems = list(pieces), first, [], {}

    def take(self):
        taken, self.waiting = self.waiting[: self.first], self.waiting[self.first :]
        self.first = 1
        return taken

    def settle(self, piece, problem=None):
        self.settled.append(piece)
        if problem is not None:
            self.problems[piece] = problem


def translations(texts):
    translate = task("en-de")
    config, read = translate.generation_config(), translate.read_texts(texts, range(1, len(texts) + 1))
    return [Piece(sentence, 1, config) for sentence in read.sentences]


def write(pieces, writer=None, first=1):
    batch = Batch(pieces, first)
    translate = task("en-de")
    SideBySide(writer or TranslationWriter(translate, RunningTexts(translate.writer)), batch).run()
    return batch


def alone(piece):
    (source,), (written,) = task("en-de").write_protected([piece.content], piece.config)
    return source, written


def test_each_sentence_is_what_it_is_alone_though_others_joined_while_it_was_written():
    pieces = translations(TEXTS * 2)
    batch = write(pieces)
    assert not batch.problems
    assert len(batch.settled) == len(pieces)
    for piece in pieces:
        assert piece.result == alone(piece)


def test_a_short_text_that_comes_late_is_done_before_a_long_one():
    long, short = translations(TEXTS[:2])
    assert write([long, short]).settled == [short, long]


def test_texts_of_other_settings_share_the_steps():
    one, other = translations([TEXTS[0], TEXTS[3]])
    other.config = replace(other.config, beam=2, num_hypotheses=2)
    running, most = RunningTexts(task("en-de").writer), []
    writer = TranslationWriter(task("en-de"), running)
    step = running.step
    running.step = lambda: (step(), most.append([group.state.rows for group in running.groups]))
    write([one, other], writer, first=2)
    assert most[0] == [6]  # beams of four and of two in one state
    assert other.result == alone(other)
    assert one.result == alone(one)


def test_a_text_that_nobody_waits_for_leaves_at_once():
    pieces = translations([TEXTS[0], TEXTS[0]])
    submission = Submission("k", pieces[:1], "me", lambda: None)
    pieces[0].submission = submission
    running = RunningTexts(task("en-de").writer)
    step, rows = running.step, []

    def cancel_at_once():
        submission.is_cancelled = True
        step()
        rows.append(sum(group.state.rows for group in running.groups))

    running.step = cancel_at_once
    batch = write(pieces, TranslationWriter(task("en-de"), running), first=2)
    assert rows[0] == 4  # of eight beams
    assert batch.settled == pieces
    assert pieces[0].result is None
    assert pieces[1].result == alone(pieces[1])


class Faulty(TranslationWriter):
    """Fails where a text is bad: while it joins, or when it is finished."""

    def __init__(self, bad, at):
        super().__init__(task("en-de"), RunningTexts(task("en-de").writer))
        self.bad, self.at, self.apart = bad, at, []

    def join(self, jobs, *, is_apart=False):
        self.apart += [job.piece for job in jobs if is_apart]
        if self.at == "join" and any(job.piece is self.bad for job in jobs):
            raise RegardError("a bad text")
        super().join(jobs, is_apart=is_apart)

    def finish(self, job):
        if self.at == "finish" and job.piece is self.bad:
            raise RegardError("a bad text")
        return super().finish(job)

    def begin(self, piece):
        if self.at == "begin" and piece is self.bad:
            raise RegardError("a bad text")
        return super().begin(piece)


@pytest.mark.parametrize("at", ["begin", "join", "finish"])
def test_a_text_that_fails_is_tried_apart_and_harms_no_other(at):
    pieces = translations([TEXTS[1], TEXTS[3], TEXTS[0]])
    writer = Faulty(pieces[1], at)
    batch = write(pieces, writer, first=3)
    assert {piece: str(problem) for piece, problem in batch.problems.items()} == {pieces[1]: "a bad text"}
    assert len(batch.settled) == 3
    assert (pieces[1] in writer.apart) == (at != "begin")
    for piece in (pieces[0], pieces[2]):
        assert piece.result == alone(piece)


def test_prompts_that_join_are_what_they_are_alone_and_are_told_as_they_grow():
    generate = task("shakespeare")
    config = generate.generation_config(beam=1, sample=False)
    prompts = [generate.read(text, 1) for text in ("To be", "My lord, the", "O")]
    told = {number: [] for number in range(3)}
    pieces = [
        Piece(PromptPiece(prompt, 0, 3 * STEPS_BETWEEN), 1, config, told[number].append)
        for number, prompt in enumerate(prompts)
    ]
    running = RunningTexts(generate.writer)
    batch = write(pieces, ContinuationWriter(generate, running))
    assert not batch.problems
    for number, (piece, prompt) in enumerate(zip(pieces, prompts, strict=True)):
        (result,) = generate.write([prompt], replace(config, max_new_tokens=3 * STEPS_BETWEEN))
        assert tuple(piece.result.ids) == result.best.ids
        assert piece.result.scores == list(result.best.scores)
        assert "".join(told[number]) == piece.result.text
