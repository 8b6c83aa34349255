"""The engine's library is found or built, and whatever goes wrong there is None and a reason."""

import ctypes
import importlib.util
import logging
import os
import runpy
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import regard

BUILD = Path(regard.__file__).parent / "engine" / "build.py"
REAL = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)
STUB = 'extern "C" __attribute__((visibility("default"))) int regard_engine_version(void) { return 7; }\n'

needs_compiler = pytest.mark.skipif(REAL is None, reason="no C++ compiler on PATH: neither c++ nor g++ nor clang++")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="these compilers are shell scripts")


class Copy:
    """build.py in a folder of its own, beside a source of one line, with a cache that nobody else uses."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script = folder / "engine" / "build.py"
        self.source = folder / "engine" / "source" / "stub.cpp"
        self.cache = folder / "cache" / "engine"
        self.source.parent.mkdir(parents=True)
        self.source.write_text(STUB)
        shutil.copy(BUILD, self.script)
        spec = importlib.util.spec_from_file_location("copy_of_build", self.script)
        assert spec is not None
        assert spec.loader is not None
        self.build = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = self.build  # dataclasses look there
        spec.loader.exec_module(self.build)

    def process(self, *arguments: str) -> subprocess.Popen:
        return subprocess.Popen([sys.executable, "-I", self.script, *arguments], stdout=subprocess.PIPE, text=True)

    def kept(self) -> list[str]:
        """What the cache holds but for locks."""
        return sorted(path.name for path in self.cache.glob("*") if path.suffix != ".lock")


@pytest.fixture
def copy(tmp_path, monkeypatch):
    for name in ("CXX", "REGARD_ENGINE", "REGARD_ENGINE_LIBRARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "cache"))
    return Copy(tmp_path)


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Makes $CXX a shell script: it notes each call, does as told, and then is the real compiler."""

    def make(body: str = "") -> Path:
        calls = tmp_path / "calls"
        script = tmp_path / "fake-compiler"
        script.write_text(f'#!/bin/sh\necho "$@" >> {calls}\n{body}\nexec {REAL} "$@"\n')
        script.chmod(0o755)
        monkeypatch.setenv("CXX", str(script))
        return calls

    return make


def compiles(calls: Path) -> int:
    return sum(" -c " in line for line in calls.read_text().splitlines()) if calls.exists() else 0


def until(condition, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


def unusable(cache: Path, cause: str) -> str:
    return f"{cache}: the cache cannot be used ({cause}): set REGARD_CACHE to a folder that can"


def version(path: Path | None) -> int:
    assert path is not None
    return ctypes.CDLL(str(path)).regard_engine_version()


@needs_compiler
def test_a_library_is_built_once_and_kept(copy, fake):
    calls = fake()
    first = copy.build.library(wait=True)
    assert version(first) == 7
    assert copy.build.why() == ""
    assert copy.build.library() == copy.build.library(wait=True) == first
    assert compiles(calls) == 1
    assert copy.kept() == [first.name]


@needs_compiler
def test_nobody_waits_for_a_build_in_the_background(copy, fake):
    fake("sleep 0.5")
    assert copy.build.library() is None
    assert "being built" in copy.build.why()
    until(lambda: copy.build.library() is not None)
    assert version(copy.build.library()) == 7
    assert copy.build.why() == ""


@needs_compiler
def test_a_build_outlives_the_process_that_asked_for_it(copy, fake):
    fake("sleep 0.5")
    ask = "import runpy, sys; print(runpy.run_path(sys.argv[1])['library']())"
    asked = subprocess.run(
        [sys.executable, "-X", "dev", "-c", ask, copy.script], capture_output=True, text=True, timeout=20, check=True
    )
    assert (asked.stdout, asked.stderr) == ("None\n", "")
    assert copy.kept() == [] or copy.kept()[0].startswith("work-")
    until(lambda: any(name.endswith(copy.build.SUFFIX) for name in copy.kept()))
    assert version(copy.build.library()) == 7


@needs_compiler
def test_the_name_changes_with_what_the_library_is_made_of(copy, fake, monkeypatch):
    names = [copy.build.plan_build().path.name]
    copy.source.write_text(STUB.replace("7", "8"))
    names.append(copy.build.plan_build().path.name)
    (copy.source.parent / "more.h").write_text("")
    names.append(copy.build.plan_build().path.name)
    monkeypatch.setattr(copy.build, "FLAGS", (*copy.build.FLAGS, "-g"))
    names.append(copy.build.plan_build().path.name)
    monkeypatch.setattr(copy.build, "features", lambda: frozenset({"a new one"}))
    names.append(copy.build.plan_build().path.name)
    fake()
    names.append(copy.build.plan_build().path.name)
    assert len(set(names)) == len(names)
    assert copy.build.plan_build().path.name == names[-1]


@needs_compiler
def test_a_changed_source_is_built_anew(copy):
    assert version(copy.build.library(wait=True)) == 7
    copy.source.write_text(STUB.replace("7", "8"))
    assert version(copy.build.library(wait=True)) == 8


@pytest.mark.parametrize("wait", [True, False])
def test_without_a_compiler_there_is_a_reason(copy, monkeypatch, caplog, wait):
    caplog.set_level(logging.INFO, "regard")
    monkeypatch.setenv("PATH", str(copy.folder))
    assert copy.build.library(wait) is None
    assert copy.build.library(wait) is None
    assert copy.build.why() == "no C++ compiler: install g++ or clang++, or set CXX"
    assert caplog.messages == [f"the engine is not used: {copy.build.why()}"]


def test_a_compiler_that_is_not_there_is_named(copy, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler -m64")
    assert copy.build.library() is None
    assert copy.build.why() == "no C++ compiler: CXX=no-such-compiler -m64 is not there"


@pytest.mark.parametrize("command", ["'", " ", "/"])
def test_an_odd_cxx_is_no_exception(copy, monkeypatch, command):
    monkeypatch.setenv("CXX", command)
    assert copy.build.library(wait=True) is None
    assert copy.build.why()


@needs_compiler
def test_a_library_stays_in_use_when_its_compiler_has_gone(copy, monkeypatch):
    built = copy.build.library(wait=True)
    monkeypatch.setenv("PATH", str(copy.folder))
    assert copy.build.library() == built


@needs_compiler
def test_a_failed_build_is_remembered_with_its_first_error(copy, fake):
    calls = fake()
    copy.source.write_text("int good;\nint bad = ;\n")
    for wait in (True, True, False):
        assert copy.build.library(wait) is None
        assert "stub.cpp:2" in copy.build.why()
        assert "error: expected" in copy.build.why()
    assert compiles(calls) == 1
    assert [Path(name).suffix for name in copy.kept()] == [".failed"]


@needs_compiler
def test_a_failure_is_tried_again_after_a_day_and_when_asked(copy, fake):
    calls = fake(f"[ -e {copy.folder}/mended ] || {{ echo 'error: no space left' >&2; exit 1; }}")
    assert copy.build.library(wait=True) is None
    assert copy.build.why() == "the compiler: error: no space left"
    (failed,) = copy.cache.glob("*.failed")
    os.utime(failed, (1, 1))
    assert copy.build.library(wait=True) is None
    assert compiles(calls) == 2
    (copy.folder / "mended").touch()
    told, _ = copy.process().communicate(timeout=20)
    assert told.startswith(f"engine: {copy.cache}")
    assert version(copy.build.library()) == 7
    assert copy.kept() == [copy.build.library().name]


@needs_compiler
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("int other;", "regard_engine_version"),
        (STUB + "__attribute__((constructor)) static void start() { __builtin_trap(); }", "was stopped by signal"),
    ],
)
def test_a_library_that_does_not_work_is_not_kept(copy, source, reason):
    copy.source.write_text(source)
    assert copy.build.library(wait=True) is None
    assert reason in copy.build.why()
    assert [Path(name).suffix for name in copy.kept()] == [".failed"]


@needs_compiler
def test_two_builders_at_once_build_once(copy, fake):
    calls = fake("sleep 0.5")
    both = [copy.process(), copy.process()]
    told = [process.communicate(timeout=20)[0] for process in both]
    assert [line.strip().split(",")[0] for line in told] == [f"engine: {copy.build.library()}"] * 2
    assert compiles(calls) == 1


@needs_compiler
def test_a_second_builder_in_the_background_leaves_the_first_alone(copy, fake):
    calls = fake("sleep 1")
    first = copy.process()
    until(lambda: compiles(calls) == 1)
    second = copy.process("--background")
    second.communicate(timeout=20)
    assert first.poll() is None
    first.communicate(timeout=20)
    assert version(copy.build.library()) == 7
    assert compiles(calls) == 1


@needs_compiler
@pytest.mark.parametrize("step", [" -c ", " -shared "])
def test_a_killed_builder_leaves_nothing_broken(copy, fake, step):
    """Killed while it compiles, or when the library is written and not yet in its place."""
    reached = copy.folder / "reached"
    hang = f'{REAL} "$@"; echo $$ > {reached}.part; mv {reached}.part {reached}; exec sleep 60'
    fake(f'case " $* " in *"{step}"*) [ -e {reached} ] || {{ {hang}; }};; esac')
    builder = copy.process()
    until(reached.exists)
    builder.send_signal(signal.SIGKILL)
    builder.communicate(timeout=20)
    assert not list(copy.cache.glob(f"*{copy.build.SUFFIX}"))
    assert version(copy.build.library(wait=True)) == 7
    os.kill(int(reached.read_text()), signal.SIGKILL)  # nobody waited for the compiler that was left behind


@needs_compiler
def test_the_leavings_of_killed_builders_and_old_builds_are_removed(copy):
    copy.cache.mkdir(parents=True)
    fresh, stale = copy.cache / "work-fresh", copy.cache / "work-stale"
    old, older = copy.cache / f"old{copy.build.SUFFIX}", copy.cache / f"older{copy.build.SUFFIX}"
    fresh.mkdir()
    stale.mkdir()
    (stale / "half.o").touch()
    for path, days in ((stale, 2), (old, 29), (older, 31)):
        path.touch()
        os.utime(path, (time.time() - days * 86_400,) * 2)
    built = copy.build.library(wait=True)
    assert copy.kept() == sorted([built.name, fresh.name, old.name])


@needs_compiler
def test_a_library_in_use_stays_young(copy):
    built = copy.build.library(wait=True)
    os.utime(built, (1, 1))
    assert copy.build.library() == built
    assert time.time() - built.stat().st_mtime < 60


@needs_compiler
@pytest.mark.parametrize("wait", [True, False])
def test_a_cache_that_cannot_be_made_is_a_reason(copy, monkeypatch, wait):
    (copy.folder / "file").touch()
    monkeypatch.setenv("REGARD_CACHE", str(copy.folder / "file"))
    assert copy.build.library(wait) is None
    where = copy.folder / "file" / "engine"
    assert copy.build.why() == unusable(where, "Not a directory")


AS_ANOTHER = """
import concurrent.futures.thread, os, runpy, subprocess, sys, tempfile  # while they can be read
build = runpy.run_path(sys.argv[1])
if os.getuid() == 0:  # to whom no door is closed
    os.setgid(65534)
    os.setuid(65534)
print(build["library"](wait=sys.argv[2] == "True"))
print(build["why"]())
"""


@pytest.fixture
def open_folder():
    """A folder that everybody may enter; pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="regard-test-"))
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        path.chmod(0o755)
    shutil.rmtree(folder)


@needs_compiler
@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("is_there", [True, False], ids=["a cache that is read-only", "a home that is read-only"])
def test_who_may_not_write_the_cache_is_told_so_in_one_line(copy, open_folder, monkeypatch, wait, is_there):
    copy = Copy(open_folder / "program")
    home = open_folder / "home"
    home.mkdir()
    monkeypatch.delenv("REGARD_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    cache = copy.build.folder()
    if is_there:
        cache.mkdir(parents=True)
        cache.chmod(0o555)
    home.chmod(0o555)
    command = [sys.executable, "-c", AS_ANOTHER, str(copy.script), str(wait)]
    asked = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert asked.stdout.splitlines() == ["None", unusable(cache, "Permission denied")]
    assert asked.stderr == ""


@needs_compiler
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="there is no /proc, where not even root may write")
@pytest.mark.parametrize("wait", [True, False])
def test_a_cache_where_nobody_may_write_is_a_reason(copy, monkeypatch, wait):
    monkeypatch.setattr(copy.build, "folder", lambda: Path("/proc/self"))
    assert copy.build.library(wait) is None
    assert copy.build.why().startswith("/proc/self: the cache cannot be used (")
    assert "\n" not in copy.build.why()


def test_the_cache_is_where_the_user_says(copy, monkeypatch):
    assert copy.build.folder() == copy.cache
    monkeypatch.delenv("REGARD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert copy.build.folder() == Path("/somewhere/regard/engine")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert copy.build.folder().is_relative_to("/home/somebody")


@needs_compiler
def test_who_has_no_home_is_told_what_to_do(copy, monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("REGARD_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(copy.build.Path, "home", no_home)
    assert copy.build.library(wait=True) is None
    assert copy.build.why() == "there is no home for a cache: set REGARD_CACHE to a folder"


def test_an_explicit_library_wins(copy, monkeypatch):
    given = copy.folder / "given.so"
    monkeypatch.setenv("REGARD_ENGINE_LIBRARY", str(given))
    assert copy.build.library(wait=True) is None
    assert copy.build.why() == f"REGARD_ENGINE_LIBRARY={given}: no such file"
    given.touch()
    assert copy.build.library() == given
    assert copy.build.why() == ""


def test_off_is_off(copy, monkeypatch):
    monkeypatch.setenv("REGARD_ENGINE", "off")
    monkeypatch.setenv("REGARD_ENGINE_LIBRARY", str(copy.source))
    assert copy.build.library(wait=True) is None
    assert copy.build.why() == "REGARD_ENGINE=off"
    assert not copy.cache.exists()


@pytest.mark.parametrize("name", ["x86_64", "AMD64", "aarch64", "arm64", "ARM64"])
def test_a_wheel_brings_the_best_library_that_the_processor_can_run(copy, monkeypatch, name):
    build = copy.build
    monkeypatch.setattr("platform.machine", lambda: name)
    build.BUNDLED.mkdir()
    levels = build.LEVELS[build.machine()]
    for level in levels:
        build.bundled_path(level).touch()
    for level, (_, needed) in levels.items():
        monkeypatch.setattr(build, "features", lambda needed=needed: needed)
        assert build.library() == build.bundled_path(level)
    best = next(iter(levels))
    for missing in levels[best][1]:  # one thing that it lacks, and the best is not for this processor
        monkeypatch.setattr(build, "features", lambda missing=missing: levels[best][1] - {missing})
        assert build.library() not in (None, build.bundled_path(best))


@needs_compiler
def test_the_plainest_library_of_a_wheel_tells_what_the_processor_can_do(copy):
    """Not a file, which only Linux has."""
    build, export = copy.build, 'extern "C" __attribute__((visibility("default")))'
    copy.source.write_text(STUB + f'{export} const char* regard_features() {{ return "one avx9"; }}')
    build.BUNDLED.mkdir()
    build.bundled_path(build.machine()).write_bytes(b"no library")
    assert "avx9" not in build.features()
    build.features.cache_clear()
    build.compile_library(build.bundled_path(build.machine()), build.compiler(), build.FLAGS)
    assert build.features() == {"one", "avx9"}


@pytest.mark.skipif(not Path("/proc/cpuinfo").is_file(), reason="Linux alone has a file to compare with")
def test_the_library_names_what_linux_names():
    from regard.engine.library import library

    if (loaded := library(wait=True)) is None:
        pytest.skip("no engine here: nothing to compare with")
    flags = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line[:5] in ("flags", "Featu"))
    build = runpy.run_path(str(BUILD))
    needed = frozenset().union(*(needed for levels in build["LEVELS"].values() for _, needed in levels.values()))
    assert needed & set(loaded.features().decode().split()) == needed & set(flags.split())


def test_no_sources_are_a_reason(copy):
    copy.source.unlink()
    assert copy.build.library(wait=True) is None
    assert copy.build.why().endswith("no sources to build from")


def test_a_frozen_program_does_not_start_itself_as_a_builder(copy, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert copy.build.library() is None
    assert "without a Python of its own" in copy.build.why()


def test_the_command_never_fails(copy, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    process = copy.process()
    told, _ = process.communicate(timeout=20)
    assert told == "no engine: no C++ compiler: CXX=no-such-compiler is not there\n"
    assert process.returncode == 0
