"""The wheel of `make wheel`: for one platform, with the engine compiled. Any other build stays pure Python."""

import os
import runpy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

# One copy of the C++ runtime inside, for machines whose own is older.
LINKS = ("-static-libstdc++", "-static-libgcc", "-Wl,--exclude-libs,ALL")


class Engine(BuildHookInterface):
    """Adds regard/engine/lib to the wheel; the source tree is left as it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "standard" or os.environ.get("REGARD_WHEEL") != "platform":
            return
        build = runpy.run_path(str(Path(self.root) / "src/regard/engine/build.py"))
        self.work = TemporaryDirectory(prefix="regard-wheel-")
        tags = list(platform_tags())
        tag = next((tag for tag in tags if tag.startswith("linux")), tags[0])  # not manylinux: nobody audited it
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
        for level, (flags, needed) in build["levels"]().items():
            path = Path(self.work.name) / f"regard-engine-{level}{build['SUFFIX']}"
            links = LINKS if tag.startswith("linux") else ()
            build["compile_library"](path, build["compiler"](), (*build["FLAGS"], *flags), links)
            if needed <= build["features"]():
                build["check_library"](path)
            build_data["force_include"][str(path)] = f"regard/engine/lib/{path.name}"
            self.app.display_info(f"engine for {level}: {path.stat().st_size:,} bytes")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "work"):
            self.work.cleanup()
