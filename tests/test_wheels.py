"""Two distributions of one tree: together they need what the tree needs, and no file is in both."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheels():
    pytest.importorskip("hatchling", reason="hatchling makes wheels: pip install hatchling")
    sys.path.insert(0, str(ROOT))  # where wheels.py finds hatch_build.py
    try:
        spec = importlib.util.spec_from_file_location("wheels_of_tree", ROOT / "wheels.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT))
    return module


def test_light_and_heavy_are_all_that_the_tree_needs(wheels):
    whole = wheels.project()["project"]["dependencies"]
    light, full = wheels.light_project()["project"], wheels.full_project("7")["project"]
    assert (light["name"], full["name"]) == ("regard-light", "regard")
    assert full["dependencies"][0] == "regard-light==7"
    assert sorted([*light["dependencies"], *full["dependencies"][1:]]) == sorted(whole)
    names = {wheels.requirement_name(one) for one in light["dependencies"]}
    assert "torch" not in names
    assert {"numpy", "safetensors", "tokenizers"} <= names
    assert not any("torch" in one for extra in light["optional-dependencies"].values() for one in extra)


def test_only_the_light_one_has_files_and_a_command(wheels, tmp_path):
    from zipfile import ZipFile

    path = wheels.build(wheels.full_project(wheels.version()), tmp_path)
    with ZipFile(path) as wheel:
        assert {Path(name).parts[0] for name in wheel.namelist()} == {f"regard-{wheels.version()}.dist-info"}
        assert not any(name.endswith("entry_points.txt") for name in wheel.namelist())
    assert "scripts" in wheels.light_project()["project"]


def test_every_platform_has_levels_and_a_tag(wheels):
    from regard.engine.build import LEVELS

    for name, platform in wheels.PLATFORMS.items():
        assert platform.machine in LEVELS, name
        assert platform.tag.startswith({"linux": "manylinux", "darwin": "macosx", "win32": "win"}[platform.system])
