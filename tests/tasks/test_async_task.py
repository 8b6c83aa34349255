"""Texts that are asked for at the same time are answered together, and as each would be alone."""

import asyncio
import threading

import pytest

import regard
from regard.errors import ArgumentError, RegardError
from regard.tasks import AsyncTask


class Counting:
    """Answers with the text itself, and notes what it was asked together."""

    def __init__(self):
        self.calls, self.may_go, self.threads = [], threading.Event(), set()
        self.may_go.set()

    def __call__(self, texts, **options):
        self.threads.add(threading.current_thread())
        self.calls.append(list(texts))
        assert self.may_go.wait(20)
        if "bad" in texts:
            raise RegardError("bad is no text")
        if "worse" in texts:
            raise ZeroDivisionError("a fault")
        return [(text, options) for text in texts]


def run(body):
    return asyncio.run(asyncio.wait_for(body, 60))


def test_who_asks_at_the_same_time_is_answered_together_and_in_order():
    task = Counting()

    async def body():
        async with AsyncTask(task, max_texts=3, beam=2) as ask:
            return await asyncio.gather(*(ask(str(number)) for number in range(7)))

    assert run(body()) == [(str(number), {"beam": 2}) for number in range(7)]
    assert task.calls == [["0", "1", "2"], ["3", "4", "5"], ["6"]]
    assert threading.main_thread() not in task.threads
    assert len(task.threads) == 1


def test_the_loop_goes_on_while_texts_are_answered_and_those_that_come_wait():
    task = Counting()

    async def body():
        async with AsyncTask(task) as ask:
            task.may_go.clear()
            first = asyncio.create_task(ask("first"))
            while not task.calls:
                await asyncio.sleep(0.001)
            others = [asyncio.create_task(ask(text)) for text in ("second", "third")]
            gone = asyncio.create_task(ask("gone"))
            await asyncio.sleep(0.01)
            gone.cancel()
            task.may_go.set()
            return [answer[0] for answer in await asyncio.gather(first, *others)]

    assert run(body()) == ["first", "second", "third"]
    assert task.calls == [["first"], ["second", "third"]]  # nobody waits for what was cancelled


def test_an_error_is_that_of_its_own_text():
    async def body():
        async with AsyncTask(Counting()) as ask:
            answers = await asyncio.gather(*map(ask, ("one", "bad", "two")), return_exceptions=True)
            faults = await asyncio.gather(*map(ask, ("one", "worse")), return_exceptions=True)
            return answers, faults, await ask("after")

    (one, bad, two), faults, after = run(body())
    assert (one[0], two[0], after[0]) == ("one", "two", "after")
    assert str(bad) == "bad is no text"
    assert all(isinstance(fault, ZeroDivisionError) for fault in faults)


def test_all_and_each_keep_the_order_and_a_closed_task_is_told():
    async def body():
        ask = AsyncTask(Counting(), max_texts=2)
        everything = [answer[0] for answer in await ask.all("abc")]
        one_by_one = [answer[0] async for answer in ask.each("abc")]
        await ask.close()
        with pytest.raises(RegardError, match="this task was closed"):
            await ask("late")
        return everything, one_by_one

    assert run(body()) == (["a", "b", "c"], ["a", "b", "c"])
    with pytest.raises(ArgumentError, match="max_texts is 1 or more, got 0"):
        AsyncTask(Counting(), max_texts=0)


def test_translations_are_those_of_a_plain_call_and_under_its_edits():
    translator = regard.load("en-de")
    texts = ["Where is the station?", "The red house is old."]

    async def body():
        async with AsyncTask(translator, beam=2) as translate:
            return await asyncio.gather(*map(translate, texts))

    assert run(body()) == translator(texts, beam=2)
    with regard.edit(translator.model) as edit:
        edit.hide(source=[1])
        assert [answer.text for answer in run(body())] == [answer.text for answer in translator(texts, beam=2)]
