"""What fails inside the engine's threads becomes an error of whoever called, and nothing else."""

import gc
import os
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import made, texts

from regard.decoding import decode, stream
from regard.engine import build, serve, steps
from regard.errors import RegardError

HERE = Path(__file__).resolve().parent
LONGEST = 300

CALL = """
import ctypes, sys
import torch
from shapes_of_engine import made, texts
from regard.engine import EngineError, serve

torch.set_num_threads(2)
new = ctypes.CDLL(sys.argv[1])
new.forbid.argtypes = [ctypes.c_size_t, ctypes.c_bool]
model = made("gpt2")
engine = serve(model, "float16")
tokens = texts(64, 8)[0]  # many rows: float16 weights are widened into memory that each thread asks for
wide = sys.argv[2] == "others"
for turn in range(400):
    state = engine.start()
    new.forbid(2 * 16 * 24 * 4, wide)  # two panels of sixteen columns, as deep as the model is wide, of four bytes
    try:
        engine.step(state, tokens)
    except EngineError as problem:
        print(problem)
        break
    finally:
        new.forbid(0, wide)
try:
    engine.step(state, tokens)
except EngineError as problem:
    print(problem)
logits = engine.step(engine.start(), tokens)[0].clone()
alone = [engine.step(engine.start(), tokens[row : row + 1])[0] for row in (0, 40)]
print(new.refused(), torch.equal(logits[0], alone[0][0]))
"""


def compiler() -> tuple[str, ...]:
    try:
        return build.compiler()
    except build.BuildError as problem:
        pytest.skip(str(problem))


def test_a_thread_that_fails_neither_ends_the_process_nor_goes_on_in_freed_memory(tmp_path):
    driver = tmp_path / "team_driver"
    units = [str(HERE / "team_driver.cpp"), str(build.SOURCE / "team.cpp")]
    command = [*compiler(), "-std=c++17", "-O1", "-g", "-pthread", f"-I{build.SOURCE}", *units, "-o", str(driver)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST)
    ended = subprocess.run([driver], check=False, capture_output=True, text=True, timeout=LONGEST)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines() == [
        "the caller fails in a piece",
        "another fails in a piece",
        "all fail in a piece",
        "the last piece fails",
        "the caller fails between parts",
        "another fails between parts",
        "all fail at once",
    ]


@needs_engine
@pytest.mark.skipif(sys.platform != "linux", reason="a library is loaded before others by LD_PRELOAD, which is Linux's")
@pytest.mark.parametrize("who", ["others", "caller"])
def test_memory_that_cannot_be_had_is_one_line(tmp_path, who):
    new = tmp_path / "failing_new.so"
    command = [*compiler(), "-std=c++17", "-O1", "-shared", "-fPIC", str(HERE / "failing_new.cpp"), "-o", str(new)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST)
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "LD_PRELOAD": str(new), "PYTHONPATH": path}
    ended = subprocess.run(
        [sys.executable, "-c", CALL, str(new), who],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines() == ["not enough memory", "this text failed before: begin it again", "1 True"]


class Cancelled(Exception):
    """What a reader who has seen enough throws."""


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def written(model, seed, **more):
    source = texts(6, 9, seed)[0]
    return decode(model, source, prefix=torch.ones(6, 1, dtype=torch.int64), beam=3, max_new_tokens=6, **more)


def cancel(model, seed, step):
    """A request that is given up after some steps."""

    def stop(progress):
        if progress.fraction >= step / 6:
            raise Cancelled

    with pytest.raises(Cancelled):
        written(model, seed, on_step=stop)


@needs_engine
def test_a_request_that_is_cancelled_leaves_nothing_behind(two_threads, monkeypatch):
    model, states = made("marian"), []
    begin = steps.EngineState.__init__

    def counted(self, *arguments):
        states.append(weakref.ref(self))
        begin(self, *arguments)

    monkeypatch.setattr(steps.EngineState, "__init__", counted)
    wanted = written(model, 0)
    for step in range(1, 6):
        cancel(model, 0, step)
        given_up = stream(model, texts(6, 9)[0], prefix=torch.ones(6, 1, dtype=torch.int64), max_new_tokens=6)
        for _ in range(step):
            next(given_up)
        given_up.close()
    assert written(model, 0) == wanted
    gc.collect()
    assert len(states) == 12
    assert not any(state() for state in states)


@needs_engine
def test_what_fails_in_one_thread_is_nothing_to_another(two_threads):
    model = made("marian")
    engine = serve(model)
    wanted = [written(model, seed) for seed in range(4)]

    def work(seed):
        for turn in range(6):
            if (seed + turn) % 3 == 0:
                cancel(model, seed, 1 + turn % 3)
            elif (seed + turn) % 3 == 1:
                with pytest.raises(RegardError, match="token 99 is not among"):
                    engine.step(engine.start(texts(6, 9, seed)[0]), torch.full((6, 1), 99))
            elif written(model, seed) != wanted[seed]:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    assert [written(model, seed) for seed in range(4)] == wanted
