"""Strangers' texts share steps. Also tests: serving/refusals.py."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from regard.errors import RegardError
from regard.serving.batching import Batcher, Piece
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import FullQueue, Stopping, TooManyTexts


class Writer:
    """Writes letters large, all that it is given before it asks for more, when it is let."""

    def __init__(self, is_open=True):
        self.batches = []
        self.gate = threading.Event()
        self.began = threading.Event()
        if is_open:
            self.gate.set()

    def __call__(self, key, batch):
        while pieces := batch.take():
            self.batches.append([piece.content for piece in pieces])
            self.began.set()
            while not self.gate.wait(0.01) and any(piece.is_wanted for piece in pieces):
                pass
            for piece in pieces:
                if piece.content == "bad":
                    raise RegardError("a bad text")
                piece.result = f"{key}{piece.content.upper()}"
                batch.settle(piece)


def batcher(writer, **limits):
    return Batcher("test", writer, ServiceLimits(**limits))


async def ask(batcher, key, *texts, client="a"):
    pieces = [Piece(text, len(text)) for text in texts]
    await batcher.submit(key, pieces, client)
    return [piece.result for piece in pieces]


def held(*coroutines, writer, batcher, first="first"):
    """What comes of requests that all wait while a first one is written."""

    async def run():
        head = asyncio.ensure_future(ask(batcher, "head", first))
        await asyncio.to_thread(writer.began.wait)
        others = [asyncio.ensure_future(one) for one in coroutines]
        await asyncio.sleep(0.05)
        writer.gate.set()
        return await asyncio.gather(head, *others, return_exceptions=True)

    result = asyncio.run(run())
    batcher.stop()
    return result


def test_requests_of_one_kind_are_written_together():
    writer = Writer(is_open=False)
    work = batcher(writer)
    _, *answers = held(
        ask(work, "k", "a", "b"), ask(work, "k", "c"), ask(work, "other", "d"), writer=writer, batcher=work
    )
    assert answers == [["kA", "kB"], ["kC"], ["otherD"]]
    assert writer.batches == [["first"], ["a", "c", "b"], ["d"]]


def test_a_short_request_is_not_held_up_by_a_long_one():
    writer = Writer(is_open=False)
    work = batcher(writer, batch_texts=4)
    long = [f"l{number}" for number in range(20)]
    held(ask(work, "k", *long), ask(work, "k", "short"), writer=writer, batcher=work)
    assert "short" in writer.batches[1]
    late = next(number for number, batch in enumerate(writer.batches) if "l19" in batch)
    assert late == 6


def test_another_kind_takes_its_turn_between_the_batches_of_a_long_one():
    writer = Writer(is_open=False)
    work = batcher(writer, batch_texts=2)
    held(ask(work, "k", *"abcdef"), ask(work, "other", "z"), writer=writer, batcher=work)
    assert writer.batches[:3] == [["first"], ["a", "b"], ["z"]]


def test_a_batch_has_no_more_tokens_than_there_is_room_for():
    writer = Writer(is_open=False)
    work = batcher(writer, batch_tokens=10)
    held(ask(work, "k", "aaaa", "bbbb", "cccccccccccc"), writer=writer, batcher=work)
    assert writer.batches[1:] == [["aaaa", "bbbb"], ["cccccccccccc"]]


def test_what_comes_joins_what_is_under_way_as_soon_as_there_is_room():
    under_way, most = [], []

    def write(key, batch):
        under_way.extend(batch.take())
        while under_way:
            most.append([piece.content for piece in under_way])
            piece = under_way.pop(0)
            piece.result = piece.content.upper()
            batch.settle(piece)
            under_way.extend(batch.take())

    work = batcher(write, batch_texts=3)
    assert asyncio.run(ask(work, "k", *"abcde")) == list("ABCDE")
    work.stop()
    assert most == [["a", "b", "c"], ["b", "c", "d"], ["c", "d", "e"], ["d", "e"], ["e"]]
    assert work.batched_pieces == 5


def test_a_text_that_failed_after_it_was_told_is_not_told_again():
    told = []

    def write(key, batch):
        for piece in batch.take():
            piece.has_begun = True
            told.append(piece.content)
        raise RegardError("it broke")

    work = batcher(write)

    async def run():
        return await asyncio.gather(ask(work, "k", "a"), ask(work, "k", "b"), return_exceptions=True)

    assert [str(problem) for problem in asyncio.run(run())] == ["it broke"] * 2
    work.stop()
    assert sorted(told) == ["a", "b"]


def test_what_fails_before_anything_is_taken_is_told_to_those_who_wait():
    def write(key, batch):
        raise RegardError("no such edit")

    work = batcher(write)
    with pytest.raises(RegardError, match="no such edit"):
        asyncio.run(ask(work, "k", "a"))
    work.stop()


def test_a_writer_that_leaves_a_piece_behind_is_no_end_to_waiting(caplog):
    work = batcher(lambda key, batch: batch.take())
    with pytest.raises(RuntimeError, match="a piece was not written"):
        asyncio.run(ask(work, "k", "a"))
    work.stop()
    assert "a text failed" in caplog.text


def test_a_request_that_fails_harms_no_other():
    writer = Writer(is_open=False)
    work = batcher(writer)
    _, good, bad, other = held(
        ask(work, "k", "a"), ask(work, "k", "bad"), ask(work, "k", "c"), writer=writer, batcher=work
    )
    assert (good, other) == (["kA"], ["kC"])
    assert str(bad) == "a bad text"


def test_what_nobody_waits_for_is_not_written():
    writer = Writer(is_open=False)
    work = batcher(writer)

    async def run():
        head = asyncio.ensure_future(ask(work, "head", "first"))
        await asyncio.to_thread(writer.began.wait)
        waiting = asyncio.ensure_future(ask(work, "k", "a"))
        await asyncio.sleep(0.02)
        for one in (waiting, head):
            one.cancel()
        await asyncio.gather(head, waiting, return_exceptions=True)
        for _ in range(200):
            if not work.submissions:
                break
            await asyncio.sleep(0.01)
        return await asyncio.wait_for(open_and_ask(), 5)  # the gate is shut: the first batch was given up

    async def open_and_ask():
        await asyncio.sleep(0.1)
        writer.gate.set()
        return await ask(work, "k", "b")

    assert asyncio.run(run()) == ["kB"]
    work.stop()
    assert writer.batches == [["first"], ["b"]]
    assert work.waiting == 0


def test_more_than_may_wait_is_refused_with_a_time_to_come_back():
    writer = Writer(is_open=False)
    work = batcher(writer, waiting=3, waiting_of_client=2)
    _, fits, mine, full = held(
        ask(work, "k", "a", client="b"), ask(work, "k", "b", "c", client="b"), ask(work, "k", *"abc", client="c"),
        writer=writer, batcher=work,
    )  # fmt: skip
    assert fits == ["kA"]
    assert isinstance(mine, TooManyTexts)
    assert mine.status == 429
    assert mine.seconds
    assert isinstance(full, FullQueue)
    assert full.status == 503
    assert full.seconds


def test_one_that_stops_finishes_what_it_began_and_takes_nothing_on():
    writer = Writer(is_open=False)
    work = batcher(writer, batch_texts=1)

    async def run():
        begun = asyncio.ensure_future(ask(work, "k", "a", "b", "c"))
        await asyncio.to_thread(writer.began.wait)
        with ThreadPoolExecutor(1) as pool:
            stopped = pool.submit(work.stop)
            await asyncio.sleep(0.05)
            with pytest.raises(Stopping):
                await ask(work, "k", "d")
            writer.gate.set()
            result = await begun
            await asyncio.to_thread(stopped.result)
        return result

    assert asyncio.run(run()) == ["kA", "kB", "kC"]
    assert not work.thread.is_alive()
