"""Several who look at one model at once see nothing of each other."""

import asyncio
import threading
from contextvars import copy_context

import pytest
import torch
from looking.readers import HEADS, WIDTH, Reader, stream
from torch import nn

import regard

CALLS = 200


class Torchs(nn.Module):
    """torch's own encoder, on its fastest path: padded positions are packed away."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 12, 0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.eval()

    def forward(self, x):
        return self.encoder(x, src_key_padding_mask=torch.tensor([[False] * 5, [False] * 3 + [True] * 2]))


MODELS = {"ours": Reader, "torch's": Torchs}


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("kind", MODELS)
def test_while_one_thread_edits_the_calls_of_another_keep_every_bit(kind, unchecked):
    model, x = MODELS[kind](), stream()
    with torch.no_grad():
        before = model(x)
    done, failures, edited = threading.Event(), [], 0

    def call() -> None:
        try:
            with torch.no_grad():
                failures.extend(number for number in range(CALLS) if not torch.equal(model(x), before))
        except Exception as problem:
            failures.append(problem)
        finally:
            done.set()

    thread = threading.Thread(target=call)
    with torch.no_grad():
        thread.start()
        while not done.is_set() or not edited:
            with regard.edit(model) as edit, regard.watch(model):
                edit.head("*", 0).off()
                edited += not torch.equal(model(x), before)
    thread.join()
    assert failures == []
    assert edited


def test_a_watch_sees_nothing_of_another_threads_calls(unchecked):
    model, ready, finished = Reader(), threading.Event(), threading.Event()

    def call() -> None:
        ready.wait()
        for _ in range(20):
            model(stream(length=7))
        finished.set()

    thread = threading.Thread(target=call)
    thread.start()
    with regard.watch(model) as seen:
        ready.set()
        for _ in range(20):
            model(stream(length=3))
        finished.wait()
    thread.join()
    assert [pattern.shape[2] for pattern in seen.all("encoder.0.self")] == [3] * 20
    assert [x.shape[1] for x in seen.streams("encoder.1")] == [3] * 20


def test_a_thread_can_be_taken_along():
    model = Reader()
    with regard.watch(model) as seen:
        thread = threading.Thread(target=copy_context().run, args=(model, stream()))
        thread.start()
        thread.join()
    assert "encoder.0.self" in seen


def test_tasks_see_nothing_of_each_other(unchecked):
    model, x = Reader(), stream()
    before = model(x)
    with regard.edit(model) as edit:
        edit.head("*", 0).off()
        edited = model(x)

    async def plain() -> None:
        for _ in range(8):
            assert torch.equal(model(x), before)
            await asyncio.sleep(0)

    async def editing() -> None:
        for _ in range(2):
            with regard.edit(model) as edit:
                edit.head("*", 0).off()
                for _ in range(4):
                    assert torch.equal(model(x), edited)
                    await asyncio.sleep(0)

    async def watching(length: int) -> list[int]:
        with regard.watch(model) as seen:
            for _ in range(8):
                model(stream(length=length))
                await asyncio.sleep(0)
        return [pattern.shape[2] for pattern in seen.all("encoder.0.self")]

    async def everyone():
        return await asyncio.gather(plain(), editing(), watching(3), watching(4), plain())

    _, _, three, four, _ = asyncio.run(everyone())
    assert three == [3] * 8
    assert four == [4] * 8
    assert all(module.taps == () for module in model.modules() if hasattr(module, "taps"))
