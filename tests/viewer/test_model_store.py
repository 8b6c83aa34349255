"""The models that are loaded: those asked for last stay, and whoever works with one keeps it."""

import gc
import threading
import weakref
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from regard.errors import UnknownName
from regard.tasks.listing import ListedModel
from regard.viewer.model_store import ModelStore

NAMES = "abcdef"


class Loaded:
    """Stands for a model."""

    def __init__(self, name: str) -> None:
        self.name = name


class Counted(ModelStore):
    """A shelf that counts what it loads."""

    def __init__(self, max_loaded: int) -> None:
        super().__init__(max_loaded=max_loaded)
        self.listed_models = {name: ListedModel(name, "folder", "generate", "Decoder") for name in NAMES}
        self.loads: Counter[str] = Counter()

    def load(self, name: str) -> Loaded:
        self.loads[name] += 1
        return Loaded(name)

    def state(self, name: str) -> str:
        return next(one.state for one in self.model_infos(None) if one.name == name)


def test_the_model_that_was_not_asked_for_longest_makes_room():
    store = Counted(max_loaded=2)
    for name in "abac":
        store.get(name)
    gc.collect()
    assert [store.state(name) for name in "abc"] == ["ready", "idle", "ready"]
    store.get("a")
    assert store.loads == {"a": 1, "b": 1, "c": 1}
    store.get("b")
    assert store.loads["b"] == 2


def test_a_model_that_is_in_use_is_not_loaded_again_whatever_came_since():
    store = Counted(max_loaded=2)
    used = store.get("a")
    for name in "bcdef":
        store.get(name)
    assert store.state("a") == "ready"
    assert store.get("a") is used
    assert store.loads["a"] == 1


def test_a_model_that_nobody_uses_leaves_the_memory():
    store = Counted(max_loaded=1)
    used = weakref.ref(store.get("a"))
    store.get("b")
    gc.collect()
    assert used() is None
    assert store.state("a") == "idle"


def test_threads_that_work_with_a_model_keep_it_while_others_come_and_go():
    store, holds, others = Counted(max_loaded=2), threading.Barrier(4), threading.Barrier(4)

    def work(name: str) -> bool:
        mine = store.get(name)
        holds.wait(10)
        others.wait(10)  # all the others have been asked for by now
        return store.get(name) is mine

    with ThreadPoolExecutor(3) as pool:
        working = [pool.submit(work, name) for name in "abc"]
        holds.wait(10)
        for name in "defdef":
            store.get(name)
        others.wait(10)
        assert all(one.result(10) for one in working)
    assert [store.loads[name] for name in "abc"] == [1, 1, 1]


def test_many_threads_at_once_always_get_the_model_they_asked_for():
    store, begin = Counted(max_loaded=2), threading.Barrier(8)

    def ask(number: int) -> bool:
        begin.wait(10)
        return all(store.get(name).name == name for turn in range(300) for name in NAMES[(number + turn) % 6])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(8)))
    assert len(store.loaded) == 2


def test_a_name_that_is_not_there_is_refused_and_not_remembered():
    store = Counted(max_loaded=2)
    with pytest.raises(UnknownName, match="no model 'zebra' here"):
        store.get("zebra")
    assert "zebra" not in store.states
