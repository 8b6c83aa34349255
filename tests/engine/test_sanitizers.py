"""Random calls, and the engine's own tests once more, with a library that watches its memory and its arithmetic."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from needs_engine import needs_engine

from regard.engine import build
from regard.engine.library import library

HERE = Path(__file__).resolve().parent
LONGEST = 3600
FLAGS = (
    *("-std=c++17", "-fPIC", "-pthread", "-fvisibility=hidden", "-O1", "-g", "-fno-omit-frame-pointer"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
    *build.NATIVE.get(os.uname().machine, ()),
)
FAULTS = {
    "heap-buffer-overflow": "int* some = new int[argument]; int read = some[argument]; delete[] some; return read;",
    "heap-use-after-free": "volatile int* some = new int[argument]; some[0] = 1; delete[] some; return some[0];",
    "signed integer overflow": "return 2147483647 + argument;",
}

SEEDS, CALLS_OF_A_SEED = range(4), 250_000


def runtimes() -> str:
    """What Python, which is not sanitised, has to load before the library; libstdc++ for its exceptions."""
    try:
        command = build.compiler()
    except build.BuildError as problem:
        pytest.skip(str(problem))
    found = []
    for name in ("libasan.so", "libubsan.so", "libstdc++.so"):
        told = subprocess.run([*command, f"-print-file-name={name}"], capture_output=True, text=True, check=False)
        path = Path(told.stdout.strip())
        if not path.is_absolute() or not path.exists():
            pytest.skip(f"{command[0]} has no {name} that could be loaded first")
        found.append(str(path.resolve()))
    return ":".join(found)


def watched(library: Path) -> dict[str, str]:
    """The environment of a Python that uses a sanitised library."""
    return {
        **os.environ,
        "LD_PRELOAD": runtimes(),
        "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "REGARD_ENGINE_LIBRARY": str(library),
    }


def random_calls(seed, calls, environment):
    """What random_calls.py counted, and what else there was to read."""
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    ended = subprocess.run(
        [sys.executable, str(HERE / "random_calls.py"), str(seed), str(calls)],
        env={**environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert ended.returncode == 0, f"seed {seed}: {ended.stdout[-2000:]}{ended.stderr[-10_000:]}"
    return ended.stdout


def calls_of(counted: str) -> int:
    """How many calls were made, as random_calls.py says it."""
    return int(re.fullmatch(r"seed \d+: (\d+) calls, .*\n", counted)[1])


@needs_engine
def test_random_calls_are_answered_or_refused():
    environment = {**os.environ, "REGARD_ENGINE_LIBRARY": str(library().path)}
    assert calls_of(random_calls(0, 3000, environment)) >= 3000


@pytest.mark.proof
def test_a_million_random_calls_keep_to_their_memory_and_to_the_language(tmp_path, capsys):
    path = tmp_path / f"sanitised{build.SUFFIX}"
    environment = watched(path)
    build.compile_library(path, build.compiler(), FLAGS)
    for seed in SEEDS:
        counted = random_calls(seed, CALLS_OF_A_SEED, environment)
        assert calls_of(counted) >= CALLS_OF_A_SEED  # the last round may end past it
        with capsys.disabled():
            print(counted, end="")


@pytest.mark.proof
def test_the_engine_keeps_to_its_memory_and_to_the_language(tmp_path):
    library = tmp_path / f"sanitised{build.SUFFIX}"
    environment = watched(library)
    build.compile_library(library, build.compiler(), FLAGS)
    command = [sys.executable, "-m", "pytest", str(HERE), "-m", "not proof", "-q", "-p", "no:cacheprovider"]
    for name in ("test_build.py", "test_failures.py"):  # they run compilers, or load a library before all others
        command += ["--ignore", str(HERE / name)]
    ended = subprocess.run(
        command, cwd=HERE.parents[1], env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr[-10_000:]
    assert " passed" in ended.stdout


@pytest.mark.proof
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_would_be_found(tmp_path, fault, monkeypatch):
    monkeypatch.setattr(build, "SOURCE", tmp_path)
    head = 'extern "C" __attribute__((visibility("default"))) int faulty(int argument)'
    (tmp_path / "faulty.cpp").write_text(f"{head} {{ {FAULTS[fault]} }}\n")
    library = tmp_path / f"faulty{build.SUFFIX}"
    environment = watched(library)
    build.compile_library(library, build.compiler(), FLAGS)
    call = "import ctypes, sys, torch; ctypes.CDLL(sys.argv[1]).faulty(3); print('unnoticed')"
    ended = subprocess.run(
        [sys.executable, "-c", call, library], env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert fault in ended.stderr
    assert "unnoticed" not in ended.stdout
