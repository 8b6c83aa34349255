"""A watch that ends while other threads are in the middle of the model."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from looking.live.families import FAMILIES, model_of
from looking.live.runs import inputs
from looking.live.settings import Setting

import regard

SETTING = Setting("left", "no cache", "sdpa", "all", "forward")


@pytest.mark.parametrize("part", ["", "model.layers.0", "model.layers.0.self_attn"])
def test_a_watch_may_end_while_another_thread_is_on_its_way_into_the_model(part):
    family, model = FAMILIES["llama"], model_of("llama", "sdpa")
    given, inside, ended = inputs(family, SETTING), threading.Event(), threading.Event()
    with torch.no_grad():
        plain = model(**given).logits

    def other():
        with torch.no_grad():
            return model(**given).logits

    def wait(_module, _given):
        inside.set()
        ended.wait()

    hook = model.get_submodule(part).register_forward_pre_hook(wait)
    try:
        with ThreadPoolExecutor(1) as threads:
            with regard.watch(model):
                running = threads.submit(other)
                inside.wait()
            ended.set()
            assert torch.equal(running.result(), plain)
    finally:
        ended.set()
        hook.remove()
