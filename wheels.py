"""Two distributions of one tree: `regard-light`, all of the code with the engine and what it takes without torch, and
`regard`, which is nothing but that and torch.

    python wheels.py                 regard-light for every platform, one without an engine, and regard, in dist
    python wheels.py here            for this machine alone, by its own compiler
    python wheels.py linux-aarch64 pure
    python wheels.py --only-engine FOLDER windows-x86_64    the libraries alone

Takes hatchling, and for other platforms than this ziglang, which compiles for all of them. Whoever installs the tree
itself (`pip install .`) gets regard in one piece, by the same pyproject.toml.
"""

import argparse
import os
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.wheel import WheelBuilder
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

from hatch_build import HERE, PLATFORMS, libraries

ROOT = Path(__file__).resolve().parent
PURE = "pure"  # for all others: the engine is built where it is installed
LIGHT = "regard-light"


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def requirement_name(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0].lower()  # pyright: ignore[reportOptionalSubscript]


def light_project() -> dict[str, Any]:
    """The project without what only torch's side needs."""
    config = project()
    heavy, extras = config["tool"]["regard"]["heavy"], config["tool"]["regard"]["light-extras"]
    config["project"] |= {
        "name": LIGHT,
        "description": f"{config['project']['description']} Without PyTorch: the command, the server, the engine.",
        "dependencies": [one for one in config["project"]["dependencies"] if requirement_name(one) not in heavy],
        "optional-dependencies": {name: config["project"]["optional-dependencies"][name] for name in extras},
    }
    return config


def full_project(version: str) -> dict[str, Any]:
    """The project as a name for the light one and the rest: it has no files, so that the two never conflict."""
    config = project()
    heavy = config["tool"]["regard"]["heavy"]
    own = [one for one in config["project"]["dependencies"] if requirement_name(one) in heavy]
    config["project"]["dependencies"] = [f"{LIGHT}=={version}", *own]
    for name in ("scripts", "entry-points"):
        del config["project"][name]
    config["tool"]["hatch"]["build"]["targets"]["wheel"] = {"bypass-selection": True, "exclude": ["*"]}
    return config


def build(config: dict[str, Any], folder: Path, platform: str = "") -> Path:
    """One wheel."""
    plugins = PluginManager()
    metadata = ProjectMetadata(str(ROOT), plugins, config)
    os.environ["REGARD_WHEEL"] = platform
    builder = WheelBuilder(str(ROOT), plugins, config, metadata)
    return Path(next(iter(builder.build(directory=str(folder), versions=["standard"]))))


def version() -> str:
    return ProjectMetadata(str(ROOT), PluginManager(), project()).version


def main() -> None:
    names = [*PLATFORMS, PURE]
    parser = argparse.ArgumentParser(description="Builds regard-light and regard.")
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM", help=f"of: {', '.join([*names, HERE])}")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="FOLDER", help="where wheels go")
    parser.add_argument("--only-engine", type=Path, metavar="FOLDER", help="compile libraries into it, make no wheels")
    options = parser.parse_args()
    for name in options.platforms:
        if name not in (*names, HERE):
            parser.error(f"unknown platform {name!r}: known: {', '.join([*names, HERE])}")
    chosen = options.platforms or names
    if options.only_engine:
        builder = runpy.run_path(str(ROOT / "src/regard/engine/build.py"))
        for name in chosen:
            if name != PURE:
                folder = options.only_engine / name
                folder.mkdir(parents=True, exist_ok=True)
                for path in libraries(builder, name, folder):
                    print(f"{path}: {path.stat().st_size:,} bytes", flush=True)
        return
    made = [build(light_project(), options.out, "" if name == PURE else name) for name in chosen]
    made.append(build(full_project(version()), options.out))
    for path in made:
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
