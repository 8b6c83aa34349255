"""How far a run is. That it never goes back, and can be cancelled, is tested with a server in test_server.py."""

import pytest

import regard
from regard.decoding import DecodeProgress
from regard.viewer.run_progress import Cancelled, RunProgress


def test_what_is_written_is_told_token_by_token():
    statuses = []
    tokenizer = regard.load("shakespeare").tokenizer
    ids = tokenizer.encode("to be", bare=True).ids
    on_step = RunProgress("run", statuses.append).writing(ids[:1], tokenizer)
    on_step(DecodeProgress([ids[1:]], 1.0))
    assert statuses[-1].state == "writing"
    assert statuses[-1].text == "".join(statuses[-1].tokens)
    assert statuses[-1].text == tokenizer.decode(ids).removeprefix(tokenizer.decode(ids[:1]))


def test_a_step_of_a_cancelled_run_raises():
    progress = RunProgress("run", lambda status: None)
    on_step = progress.writing([], regard.load("shakespeare").tokenizer)
    progress.cancelled.set()
    with pytest.raises(Cancelled):
        on_step(DecodeProgress((), 0.5))
