"""What every test stands on: the same random numbers each time, and a way to meet our own error messages."""

import os
import signal
import threading

import jaxtyping
import pytest
import torch
from hypothesis import settings

from regard.engine import packed_cache

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=20, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
torch.set_num_threads(1)  # everything is tiny: threads would only wait for each other
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    # A shell has what it starts in the background ignore Ctrl-C; what the tests start and interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _same_numbers():
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def _own_packed_models(monkeypatch, tmp_path_factory):
    """Small models of tests do not drive the user's own out of the cache."""
    folder = tmp_path_factory.getbasetemp() / "packed"
    monkeypatch.setattr(packed_cache, "packed_path", lambda *model: folder / f"{hash(model)}{packed_cache.SUFFIX}")


@pytest.fixture
def unchecked():
    """Signatures are not checked, as in a user's program: what is wrong reaches our own checks."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
