"""The engine's library: the one that came with the wheel, the one in the user's cache, or one that is built now.

    REGARD_ENGINE=off              no engine: PyTorch serves
    REGARD_ENGINE_LIBRARY=<path>   this library and no other
    REGARD_CACHE=<folder>          where builds are kept, in its subfolder engine, and packed models, in packed
    CXX=<command>                  the compiler, before c++, g++ and clang++

This file is long because it imports nothing of regard: it runs by itself as the builder in the background, from the
Makefile, and in the wheel's build hook.
"""

import errno
import hashlib
import logging
import os
import platform
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "source"
BUNDLED = HERE / "lib"
SUFFIXES = {"darwin": ".dylib", "win32": ".dll"}
SUFFIX = SUFFIXES.get(sys.platform, ".so")
DAY = 86_400
LONGEST = 1800  # seconds for one command of the compiler

PLAIN = ("-O3", "-std=c++17", "-fno-math-errno", "-fno-trapping-math", "-fvisibility=hidden")
POSIX = ("-fPIC", "-pthread")
FLAGS = PLAIN if sys.platform == "win32" else (*PLAIN, *POSIX)
MACHINES = {"x86_64": "x86-64", "amd64": "x86-64", "aarch64": "aarch64", "arm64": "aarch64"}
NATIVE = {"x86-64": ("-march=native",), "aarch64": ("-mcpu=native",)}

# What a wheel carries, best first: flags, and what the processor must have. The last runs on every processor of its
# kind, and is called as that is.
Levels = dict[str, tuple[tuple[str, ...], frozenset[str]]]
V3 = frozenset({"avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "movbe"})
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx512_vnni"}
LEVELS: dict[str, Levels] = {
    "x86-64": {
        "x86-64-v4": (("-march=x86-64-v4", "-mavx512vnni"), V4),
        "x86-64-v3-vnni": (("-march=x86-64-v3", "-mavxvnni"), V3 | {"avx_vnni"}),
        "x86-64-v3": (("-march=x86-64-v3",), V3),
        "x86-64": ((), frozenset()),
    },
    "aarch64": {
        "aarch64-dotprod": (("-mcpu=generic+dotprod",), frozenset({"asimddp"})),
        "aarch64": ((), frozenset()),
    },
}

CHECK = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).regard_engine_version())"

_started: dict[Path, threading.Thread] = {}  # builds that this process has set going
_logged: set[str] = {""}  # what was logged about having no library
_reason = ""


class BuildError(Exception):
    """Why there is no library, in one line. It never leaves this file but for the wheel's hook."""


def library(wait: bool = False) -> Path | None:
    """The library for this machine, or None while there is none: why() then says why.

    A missing one is built in the background, and a later call has it; `wait` stays until it is there.
    """
    global _reason
    try:
        path, _reason = _find_library(wait)
    except (BuildError, OSError, RuntimeError, ValueError) as problem:  # RuntimeError: no home; ValueError: odd CXX
        path, _reason = None, " ".join(str(problem).split())
    _log_reason()
    return path


def refuse(reason: str) -> None:
    """What library() found is not used, because of this."""
    global _reason
    _reason = reason
    _log_reason()


def _log_reason() -> None:
    if _reason not in _logged:
        _logged.add(_reason)
        logging.getLogger("regard").info("the engine is not used: %s", _reason)


def is_off() -> bool:
    """Whether somebody wants no engine."""
    return os.environ.get("REGARD_ENGINE", "").lower() == "off"


def why() -> str:
    """Why the last library() was None, or was refused, in one line; empty if it was not."""
    return _reason


def _find_library(wait: bool) -> tuple[Path | None, str]:
    if is_off():
        return None, "REGARD_ENGINE=off"
    if named := os.environ.get("REGARD_ENGINE_LIBRARY"):
        path = Path(named).absolute()
        return (path, "") if path.is_file() else (None, f"REGARD_ENGINE_LIBRARY={named}: no such file")
    if path := bundled_library():
        return path, ""
    build = plan_build()
    try:
        if wait and not build.done:
            build.run()
        if build.path.is_file():
            _touch(build.path)
            return build.path, ""
        if problem := build.problem():
            return None, problem
        return None, "the build left no library" if wait else _in_background(build)
    except OSError as problem:  # another user's home, or none; a full disk
        cause = problem.strerror or type(problem).__name__
        return None, f"{build.path.parent}: the cache cannot be used ({cause}): set REGARD_CACHE to a folder that can"


# The machine


def machine() -> str:
    """The kind of processor, by one name whatever the system calls it."""
    return MACHINES.get(platform.machine().lower(), platform.machine())


def bundled_path(level: str) -> Path:
    return BUNDLED / f"regard-engine-{level}{SUFFIX}"


@cache
def features() -> frozenset[str]:
    """What the processor can do, as Linux names it: the wheel's plainest library tells on every system, a file on
    Linux."""
    if (plainest := bundled_path(machine())).is_file():
        import ctypes

        with suppress(OSError, AttributeError):
            ask = ctypes.CDLL(str(plainest)).regard_features
            ask.restype = ctypes.c_char_p
            return frozenset(ask().decode().split())
    with suppress(OSError), open("/proc/cpuinfo") as file:
        for line in file:  # one processor will do, and the list of all of them is slow on large machines
            if line.startswith(("flags", "Features")):
                return frozenset(line.partition(":")[2].split())
    return frozenset()


def levels() -> Levels:
    """The libraries of a wheel for this kind of machine, best first."""
    return LEVELS.get(machine(), {machine(): ((), frozenset())})


def bundled_library() -> Path | None:
    """The best library of the wheel that this processor can run."""
    if BUNDLED.is_dir():
        for level, (_, needed) in levels().items():
            if bundled_path(level).is_file() and needed <= features():
                return bundled_path(level)
    return None


def compiler() -> tuple[str, ...]:
    """The C++ compiler's command, its program as a full path."""
    if command := os.environ.get("CXX"):
        program, *options = shlex.split(command)
        if path := shutil.which(program):
            return (path, *options)
        raise BuildError(f"no C++ compiler: CXX={command} is not there")
    programs = ("clang++",) if os.name == "nt" else ("c++", "g++", "clang++")  # g++ misaligns vectors on Windows
    for program in programs:
        path = shutil.which(program)
        if path and not _is_placeholder(path):
            return (path,)
    raise BuildError(f"no C++ compiler: install {' or '.join(programs[-2:])}, or set CXX")


def _is_placeholder(path: str) -> bool:
    """On a Mac without developer tools /usr/bin/c++ only opens a window that offers them."""
    tools = ("/Library/Developer/CommandLineTools", "/Applications/Xcode.app")
    return sys.platform == "darwin" and path.startswith("/usr/bin/") and not any(map(os.path.isdir, tools))


def folder() -> Path:
    """Where builds are kept: the user's cache. Raises RuntimeError where there is no home."""
    if path := os.environ.get("REGARD_CACHE"):
        return Path(path).absolute() / "engine"
    if path := os.environ.get("XDG_CACHE_HOME"):
        return Path(path).absolute() / "regard" / "engine"
    if os.name == "nt" and (path := os.environ.get("LOCALAPPDATA")):
        return Path(path).absolute() / "regard" / "engine"
    try:
        home = Path.home()
    except RuntimeError:
        raise RuntimeError("there is no home for a cache: set REGARD_CACHE to a folder") from None
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "regard" / "engine"


# Building


@dataclass(frozen=True)
class Build:
    """A library that is, or is to be: what makes it, and where it goes."""

    compiler: tuple[str, ...]
    flags: tuple[str, ...]
    path: Path

    @property
    def failed(self) -> Path:
        return self.path.with_suffix(".failed")

    @property
    def done(self) -> bool:
        return self.path.is_file() or bool(self.problem())

    def problem(self) -> str:
        """What the compiler said in vain; forgotten after a day, because a full disk looks like a fault too."""
        with suppress(OSError):
            if time.time() - self.failed.stat().st_mtime < DAY:
                return self.failed.read_text(errors="replace").strip() or "the build failed"
        return ""

    def run(self, wait: bool = True) -> None:
        """Build unless it is done; if another process is at it, wait for that or leave it alone.

        Each builder works in a folder of its own, and the library appears whole or not at all.
        """
        from tempfile import TemporaryDirectory  # who finds a library need not wait for what builds one

        folder = self.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _lock(self.path.with_suffix(".lock"), wait) as is_ours:
            if not is_ours or self.done:
                return
            try:
                with TemporaryDirectory(prefix="work-", dir=folder, ignore_cleanup_errors=True) as work:
                    draft = Path(work) / self.path.name
                    compile_library(draft, self.compiler, self.flags)
                    check_library(draft)
                    with open(draft, "rb+") as file:
                        os.fsync(file.fileno())
                    draft.replace(self.path)
                self.failed.unlink(missing_ok=True)
            except BuildError as problem:
                self.failed.write_text(f"{problem}\n")
            _sweep(folder, keep=self.path)


def plan_build() -> Build:
    """The build for these sources, flags, processor and compiler; its name changes with each of them."""
    if not sys.executable or getattr(sys, "frozen", False):  # the builder would be this program once more
        raise BuildError("a program without a Python of its own cannot build it")
    flags = FLAGS + NATIVE.get(machine(), ())
    digest = hashlib.sha256(repr((sys.platform, platform.machine(), flags, sorted(features()))).encode())
    for path in sources():
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    name = digest.hexdigest()[:16]
    try:
        command = compiler()
    except BuildError:  # it may have gone since
        for path in folder().glob(f"{name}-*{SUFFIX}"):
            return Build((), flags, path)
        raise
    program = os.stat(command[0])
    identity = repr((os.path.realpath(command[0]), command[1:], program.st_size, program.st_mtime_ns))
    mark = hashlib.sha256(identity.encode()).hexdigest()[:8]
    return Build(command, flags, folder() / f"{name}-{mark}{SUFFIX}")


def sources() -> list[Path]:
    paths = sorted(path for path in SOURCE.glob("*") if path.suffix in (".cpp", ".h"))
    if not paths:
        raise BuildError(f"{SOURCE}: no sources to build from")
    return paths


def compile_library(target: Path, command: Sequence[str], flags: Sequence[str], links: Sequence[str] = ()) -> None:
    """Compile every .cpp, side by side, and link them, with the same flags or with `links`."""
    from concurrent.futures import ThreadPoolExecutor
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="objects-", dir=target.parent, ignore_cleanup_errors=True) as work:
        environment = {**os.environ, "TMPDIR": work, "LC_ALL": "C"}
        units = [path for path in sources() if path.suffix == ".cpp"]
        objects = [f"{work}/{path.stem}.o" for path in units]
        steps = [[*command, *flags, "-c", str(unit), "-o", out] for unit, out in zip(units, objects, strict=True)]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            list(pool.map(lambda step: _run(step, "the compiler", environment), steps))
        _run([*command, *(links or flags), "-shared", *objects, "-o", str(target)], "the linker", environment)


def check_library(path: Path) -> None:
    """Load a library in a process of its own, which it may crash."""
    _run([sys.executable, "-I", "-c", CHECK, str(path)], "loading the new library", dict(os.environ))


def _run(command: Sequence[str], what: str, environment: dict[str, str]) -> None:
    import subprocess

    try:
        ended = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST, errors="replace"
        )
    except subprocess.TimeoutExpired:
        raise BuildError(f"{what} took more than {LONGEST} seconds") from None
    except OSError as problem:
        raise BuildError(f"{what}: {problem}") from None
    if ended.returncode < 0:
        raise BuildError(f"{what} was stopped by signal {-ended.returncode}")
    if ended.returncode:
        lines = [line.strip() for line in ended.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()] or lines or [f"exit code {ended.returncode}"]
        raise BuildError(f"{what}: {errors[0]}")


@contextmanager
def _lock(path: Path, wait: bool) -> Iterator[bool]:
    """Hold a lock that ends with its process, however that ends; False if another holds it and we do not wait."""
    with open(path, "w") as file:
        try:
            _lock_file(file.fileno(), wait)
        except BlockingIOError:
            yield False
            return
        except OSError:  # a file system without locks: at worst the work is done twice
            pass
        yield True


if sys.platform == "win32":

    def _lock_file(number: int, wait: bool) -> None:
        import msvcrt

        while True:
            try:
                return msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
            except PermissionError:  # another has it
                if not wait:
                    raise BlockingIOError from None
            time.sleep(0.1)

else:

    def _lock_file(number: int, wait: bool) -> None:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def _in_background(build: Build) -> str:
    """Set a build going that outlives this process, once; says how it stands."""
    import subprocess

    if build.path not in _started:
        folder = build.path.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
        process = subprocess.Popen(
            [sys.executable, "-I", __file__, "--background"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        _started[build.path] = threading.Thread(target=process.wait, daemon=True)
        _started[build.path].start()
    if _started[build.path].is_alive():
        return "it is being built for this machine"
    return "it is not built yet: another process is at it, or was interrupted"


def _touch(path: Path) -> None:
    """Note that a library is in use, once a day."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)


def _sweep(folder: Path, keep: Path) -> None:
    """Remove what nobody has used for 30 days, and what killed builders left a day ago."""
    for path in folder.iterdir():
        with suppress(OSError):
            age = time.time() - path.stat().st_mtime
            if path.is_dir() and path.name.startswith("work-") and age > DAY:
                shutil.rmtree(path, ignore_errors=True)
            elif path.suffix in (SUFFIX, ".failed", ".lock") and path.stem != keep.stem and age > 30 * DAY:
                path.unlink()


def main(arguments: Sequence[str]) -> None:
    """`python -m regard.engine.build`: build now and say so. What failed before is tried again."""
    if list(arguments) == ["--background"]:
        if sys.platform != "win32":
            os.nice(10)  # the user's work goes first
        with suppress(BuildError, OSError):
            plan_build().run(wait=False)
        return
    with suppress(BuildError, OSError, RuntimeError, ValueError):
        plan_build().failed.unlink(missing_ok=True)
    begun = time.monotonic()
    path = library(wait=True)
    taken = time.monotonic() - begun
    print(f"engine: {path}" + (f", built in {taken:.0f} s" if taken > 1 else "") if path else f"no engine: {why()}")


if __name__ == "__main__":
    main(sys.argv[1:])
