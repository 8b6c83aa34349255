"""A linear layer of every level of processors is the loop that says what it means; on ARM64 under qemu, too.

Also tests: engine/source/linear.cpp.
"""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from regard.engine import build

HERE = Path(__file__).resolve().parent
LONGEST = 1800
UNITS = [
    HERE / "linear_driver.cpp",
    build.SOURCE / "linear.cpp",
    build.SOURCE / "linear_pack.cpp",
    build.SOURCE / "team.cpp",
]
ZIG = (sys.executable, "-m", "ziglang", "c++", "-target", "aarch64-linux-musl", "-static")
QEMU = shutil.which("qemu-aarch64")

needs_arm = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None or QEMU is None,
    reason="ziglang (PyPI) compiles for ARM64, and qemu-aarch64 (qemu-user) runs it: one of them is not here",
)


def compiler() -> tuple[str, ...]:
    try:
        return build.compiler()
    except build.BuildError as problem:
        pytest.skip(str(problem))


def built(path, command, *flags):
    options = ["-std=c++17", "-pthread", f"-I{build.SOURCE}", *flags]
    subprocess.run(
        [*command, *options, *map(str, UNITS), "-o", str(path)],
        check=True,
        capture_output=True,
        text=True,
        timeout=LONGEST,
    )
    return str(path)


def checked(*command):
    ended = subprocess.run([*command, "check"], capture_output=True, text=True, timeout=LONGEST, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith(" layers checked\n")


def test_the_plainest_level_is_the_loop(tmp_path):
    """Which no other test sees: what is built here is the best that this processor can run."""
    checked(built(tmp_path / "driver", compiler(), "-O1", *build.levels()[build.machine()][0]))


@pytest.mark.proof
@pytest.mark.parametrize("level", [level for level in build.levels() if level != build.machine()])
def test_every_other_level_is_the_loop(tmp_path, level):
    flags, needed = build.levels()[level]
    if not needed <= build.features():
        pytest.skip(f"this processor has no {', '.join(sorted(needed - build.features()))}")
    checked(built(tmp_path / "driver", compiler(), "-O2", *flags))


@needs_arm
@pytest.mark.proof
@pytest.mark.parametrize("level", build.LEVELS["aarch64"])
def test_levels_of_arm64_are_the_loop_in_fewer_instructions(tmp_path, level, capsys):
    driver = built(tmp_path / "driver", ZIG, "-O3", *build.LEVELS["aarch64"][level][0])
    checked(QEMU, driver)
    for precision, least in (("float32", 3), ("int8", 4)):
        loop, engine = (instructions(driver, who, precision) for who in ("loop", "engine"))
        with capsys.disabled():
            print(f"\n{level}, {precision}: {loop:,} instructions of the loop, {engine:,} of the engine")
        assert loop > least * engine


def instructions(driver, who, precision):
    """How many instructions one more call takes, each of them told by qemu on a line of its own."""
    counts = []
    for times in ("1", "3"):
        told = [QEMU, "-singlestep", "-d", "nochain,exec", driver, who, precision, "1", times]
        with subprocess.Popen(told, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            counts.append(sum(line.startswith(b"Trace") for line in process.stderr))
        assert process.returncode == 0
    return (counts[1] - counts[0]) // 2
