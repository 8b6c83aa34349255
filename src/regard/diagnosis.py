"""What a report of a fault needs: versions, processor, engine, caches, models. It takes no torch, nor needs it."""

import os
import platform
import sys
from importlib import metadata, util
from pathlib import Path
from types import ModuleType
from typing import Any

from regard import __version__
from regard.untrusted import CONFIG, first_line

HERE = Path(__file__).parent
PACKAGES = (
    *("torch", "numpy", "tokenizers", "safetensors", "huggingface_hub", "transformers", "sentencepiece"),
    *("fastapi", "uvicorn", "click"),
)
VARIABLES = (
    *("REGARD_ENGINE", "REGARD_ENGINE_LIBRARY", "REGARD_CACHE", "CXX", "OMP_NUM_THREADS", "ONEDNN_MAX_CPU_ISA"),
    *("HF_HOME", "HF_HUB_OFFLINE"),
)
INSTRUCTIONS = (
    *("avx2", "fma", "f16c", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile", "asimd", "asimddp", "i8mm", "bf16"),
)
Report = dict[str, Any]  # as JSON has it


def diagnose(*, build: bool = False) -> Report:
    """All of it, for JSON; with `build` the engine is built where it is not there yet."""
    return {
        "regard": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform(),
        "packages": {name: version_of(name) for name in PACKAGES},
        "processor": processor(),
        "engine": engine(build=build),
        "caches": caches(),
        "models": models(),
        "environment": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }


def version_of(name: str) -> str | None:
    """The version of a package that is installed; None where it is not."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def engine_builder() -> ModuleType:
    """engine/build.py, which imports nothing of ours, without the package that imports torch."""
    spec = util.spec_from_file_location("regard_engine_build", HERE / "engine" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


def processor() -> Report:
    """Its name, how many threads may run, and what it can do that matters here."""
    known = engine_builder().features()
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), name)
    except OSError:
        pass
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    features = [instruction for instruction in INSTRUCTIONS if instruction in known]
    return {"name": name, "machine": platform.machine(), "threads": count, "instructions": features}


def engine(*, build: bool = False) -> Report:
    """Which library serves, or why none does."""
    builder = engine_builder()
    path = builder.library(wait=True) if build else find_library(builder)
    if path is None:
        return {"library": None, "origin": None, "version": None, "problem": builder.why() or "it is not built yet"}
    origin = "wheel" if path.parent == builder.BUNDLED else "built here"
    origin = "REGARD_ENGINE_LIBRARY" if os.environ.get("REGARD_ENGINE_LIBRARY") else origin
    try:
        from regard.engine.library import Library  # which takes numpy: that may be what is broken

        return {"library": str(path), "origin": origin, "version": Library(path).engine_version(), "problem": ""}
    except (OSError, AttributeError, ImportError) as problem:
        return {"library": str(path), "origin": origin, "version": None, "problem": first_line(problem)}


def find_library(builder: ModuleType) -> Path | None:
    """The library if it is there: nothing is built because somebody asks how things are."""
    vars(builder)["_in_background"] = lambda build: "it is not built yet: the first text sets that going"
    return builder.library()


def caches() -> dict[str, str]:
    """Where things are kept, whether they are there or not, and where nothing can be."""
    try:
        builds = engine_builder().folder()
        own = {"engine builds": str(builds), "packed models": str(builds.with_name("packed"))}
    except RuntimeError as problem:  # no home
        own = {"engine builds": first_line(problem)}
    home = os.environ.get("HF_HUB_CACHE") or os.path.join(
        os.environ.get("HF_HOME") or os.path.expanduser("~/.cache/huggingface"), "hub"
    )
    return {name: with_access(path) for name, path in {**own, "Hugging Face": home}.items()}


def with_access(path: str) -> str:
    """A folder, and that nothing can be written there if that is so."""
    parents = (folder for folder in (Path(path), *Path(path).parents) if folder.exists())
    can_write = any(os.access(folder, os.W_OK) for folder in list(parents)[:1])
    return path if can_write or not os.path.isabs(path) else f"{path} (cannot be written)"


def models() -> dict[str, str]:
    """The models that came with the install, each "ok" or what is missing."""
    result = {}
    for config in sorted((HERE / "builtin").glob(f"*/{CONFIG}")):
        weights = [path for path in config.parent.glob("*.safetensors") if path.stat().st_size]
        result[config.parent.name] = "ok" if weights else "its weights are missing"
    return result
