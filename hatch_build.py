"""The engine in a wheel: a library for each level of a platform's processors. wheels.py says which platform it is for;
any other build stays pure Python."""

import os
import runpy
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

# One copy of the C++ runtime inside, for machines whose own is older.
LINKS = ("-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL")
STRICT = ("-Wall", "-Wextra", "-Werror")


class Platform(NamedTuple):
    """A platform that zig compiles for."""

    target: str  # as zig names it, with the oldest system that will do
    system: str  # as sys.platform
    machine: str  # as in LEVELS of build.py
    tag: str  # of the wheel


PLATFORMS = {
    "linux-x86_64": Platform("x86_64-linux-gnu.2.17", "linux", "x86-64", "manylinux_2_17_x86_64.manylinux2014_x86_64"),
    "linux-aarch64": Platform(
        "aarch64-linux-gnu.2.17", "linux", "aarch64", "manylinux_2_17_aarch64.manylinux2014_aarch64"
    ),
    "macos-x86_64": Platform("x86_64-macos.11.0", "darwin", "x86-64", "macosx_11_0_x86_64"),
    "macos-arm64": Platform("aarch64-macos.11.0", "darwin", "aarch64", "macosx_11_0_arm64"),
    "windows-x86_64": Platform("x86_64-windows-gnu", "win32", "x86-64", "win_amd64"),
    "windows-arm64": Platform("aarch64-windows-gnu", "win32", "aarch64", "win_arm64"),
}
HERE = "here"  # this machine, by its own compiler


class Engine(BuildHookInterface):
    """Adds regard/engine/lib to the wheel; the source tree is left as it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        name = os.environ.get("REGARD_WHEEL", "")
        if version != "standard" or not name:
            return
        build = runpy.run_path(str(Path(self.root) / "src/regard/engine/build.py"))
        self.work = TemporaryDirectory(prefix="regard-wheel-")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{wheel_tag(name)}"
        for path in libraries(build, name, Path(self.work.name)):
            build_data["force_include"][str(path)] = f"regard/engine/lib/{path.name}"
            self.app.display_info(f"{path.name}: {path.stat().st_size:,} bytes")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "work"):
            self.work.cleanup()


def wheel_tag(name: str) -> str:
    if name != HERE:
        return PLATFORMS[name].tag
    tags = list(platform_tags())
    return next((tag for tag in tags if tag.startswith("linux")), tags[0])  # not manylinux: nobody audited it


def libraries(build: dict[str, Any], name: str, folder: Path) -> list[Path]:
    """A compiled library for each level of a platform. Those of zig are held to have no warnings."""
    if name == HERE:
        command, suffix, levels = build["compiler"](), build["SUFFIX"], build["levels"]()
        flags = build["FLAGS"]
        links = (*flags, *(LINKS if sys.platform == "linux" else ()))
    else:
        platform = PLATFORMS[name]
        command = (sys.executable, "-m", "ziglang", "c++", "-target", platform.target)
        suffix, levels = build["SUFFIXES"].get(platform.system, ".so"), build["LEVELS"][platform.machine]
        flags = (*build["PLAIN"], *STRICT, *(build["POSIX"] if platform.system == "linux" else ()))
        links = ("-O3", "-s")  # without the flags of a level: the C++ runtime is that of the plainest
    paths = []
    for level, (more, needed) in levels.items():
        path = folder / f"regard-engine-{level}{suffix}"
        if name != HERE:  # zig has its own names of processors
            more = [flag.replace("x86-64-", "x86_64_") for flag in more]
        build["compile_library"](path, command, (*flags, *more), links)
        if name == HERE and needed <= build["features"]():
            build["check_library"](path)
        paths.append(path)
    return paths
