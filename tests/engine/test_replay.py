"""Four threads that write with the same models, as recorded from real runs, answer what one answers alone."""

import subprocess
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch
from needs_engine import needs_engine
from recorder import Recorder
from shapes_of_engine import made, texts

import regard
from regard.decoding import Constraints, Sampling, decode
from regard.engine import build, serve
from regard.engine.library import library
from regard.engine.looks import looks, weights
from regard.errors import RegardError
from regard.models import Transformer

pytestmark = needs_engine

HERE = Path(__file__).resolve().parent
LONGEST = 3600
WATCHED = ("-O1", "-g", "-fsanitize=thread", *build.NATIVE.get(build.machine(), ()))
RACE = "int shared; int main() { std::thread other([] { shared++; }); shared++; other.join(); return shared - 2; }"


def compiler() -> tuple[str, ...]:
    try:
        return build.compiler()
    except build.BuildError as problem:
        pytest.skip(str(problem))


def record(models, tmp_path, monkeypatch):
    """What these models are and what is done with them: two files."""
    files = tmp_path / "models", tmp_path / "texts"
    with open(files[0], "wb") as building, open(files[1], "wb") as writing:
        recorder = Recorder(library().path, building, writing)
        monkeypatch.setattr("regard.engine.library.library", lambda wait=False: recorder)
        monkeypatch.setattr("regard.engine.highest.library", lambda wait=False: recorder)
        monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
        for precision, model in models:
            use(model, precision)
    assert recorder.calls > 20 * len(models)
    return files


def use(model, precision):
    """Searches, an edited text, a text that outgrows its table of positions, and calls that are refused."""
    prompts, mask = texts(5, 6, seed=1)
    is_pair = isinstance(model, Transformer)
    told = {"precision": precision, "max_new_tokens": 4, "constraints": Constraints(ends=(0,))}
    told |= {"source": prompts, "attention_mask": mask} if is_pair else {"source": None}
    told |= {"prefix": torch.ones(5, 1, dtype=torch.int64)} if is_pair else {"prefix": prompts}
    for more in ({}, {"beam": 3}, {"sampling": Sampling(), "num_hypotheses": 2}):
        decode(model, **told, **more)
    with regard.edit(model) as edit:
        edit.head("decoder.0.self", 1).off()
        edit.hide(target=[0])
        decode(model, **told)
    engine = serve(model, precision)
    layers = ["decoder.0.self", *(["decoder.1.cross", "encoder.0.self"] if is_pair else [])]
    state = engine.start_watched(layers, *((prompts, mask) if is_pair else ()))
    for tokens in (prompts, prompts[:, :1].contiguous()):
        engine.step(state, tokens)
        for layer in layers:
            weights(state, layer, [0])
            looks(state, layer)
    first, other = (engine.start(prompts if is_pair else None) for _ in range(2))
    engine.step(first, prompts)
    engine.step(other, prompts[:, :1].contiguous())
    first.select(np.array([4, 0]))
    for coming in (other, first):  # the second is refused
        with suppress(RegardError):
            first.join(coming)
    engine.step(first, torch.ones(7, 1, dtype=torch.int64))
    state = engine.start(prompts if is_pair else None)
    for tokens in (torch.full((5, 1), 10**6), torch.ones(4, 1, dtype=torch.int64), prompts):
        with suppress(RegardError):
            engine.step(state, tokens)
    with suppress(RegardError):  # where positions are learned there are fewer
        long = texts(1, 600, seed=2)[0]
        engine.step(engine.start(long if is_pair else None), long)


def built(driver, flags):
    """The driver with the engine in it."""
    units = [str(path) for path in build.sources() if path.suffix == ".cpp"]
    options = ["-std=c++17", "-pthread", f"-I{build.SOURCE}", *flags]
    command = [*compiler(), *options, str(HERE / "replay_driver.cpp"), *units, "-o", str(driver)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert ended.returncode == 0, ended.stderr[-5000:]


def replayed(driver, files, times):
    ended = subprocess.run([driver, *files, str(times)], capture_output=True, text=True, timeout=LONGEST, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr[-10_000:]
    assert ended.stderr == ""
    return ended.stdout


def test_four_threads_answer_as_one(tmp_path, monkeypatch):
    models = [("float32", made("pre-norm")), ("int8", made("llama"))]
    files, driver = record(models, tmp_path, monkeypatch), tmp_path / "driver"
    path = library().path
    command = [*compiler(), "-std=c++17", "-O1", "-pthread", f"-I{build.SOURCE}", str(HERE / "replay_driver.cpp")]
    command += [str(path), f"-Wl,-rpath,{path.parent}", "-o", str(driver)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=LONGEST)
    assert " calls from 4 threads" in replayed(driver, files, 2)


@pytest.mark.proof
def test_four_threads_race_nowhere(tmp_path, monkeypatch, capsys):
    skip_without_thread_sanitizer(tmp_path)
    names = (
        "marian",
        "pre-norm",
        "t5",
        "bart",
        "alibi encoder",
        "pruned",
        "bridge",
        "gpt2",
        "llama",
        "mistral",
        "alibi",
    )
    models = [(precision, made(name)) for name in names for precision in ("float32", "float16", "int8")]
    files, driver = record(models, tmp_path, monkeypatch), tmp_path / "driver"
    built(driver, WATCHED)
    counted = replayed(driver, files, 1)  # minutes: twelve threads, each watched
    assert " calls from 4 threads" in counted
    with capsys.disabled():
        print(counted, end="")


@pytest.mark.proof
def test_a_race_would_be_found(tmp_path):
    skip_without_thread_sanitizer(tmp_path)
    ended = subprocess.run([tmp_path / "race"], capture_output=True, text=True, timeout=LONGEST, check=False)
    assert "data race" in ended.stderr
    assert ended.returncode != 0


def skip_without_thread_sanitizer(tmp_path):
    """Leaves a program that races at tmp_path / "race"."""
    (tmp_path / "race.cpp").write_text(f"#include <thread>\n{RACE}\n")
    command = [
        *compiler(),
        "-std=c++17",
        "-pthread",
        *WATCHED,
        str(tmp_path / "race.cpp"),
        "-o",
        str(tmp_path / "race"),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    if ended.returncode:
        pytest.skip(f"{command[0]} has no thread sanitizer: {ended.stderr.splitlines()[-1]}")
