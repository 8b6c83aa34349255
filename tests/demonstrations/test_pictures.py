"""The pictures in docs/pictures are those that docs/pictures.py draws."""

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")

_spec = importlib.util.spec_from_file_location("docs_pictures", DOCS / "pictures.py")
pictures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pictures)


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_is_what_its_script_draws(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drawn, kept = pictures.PICTURES[name](), (DOCS / "pictures" / name).read_text(encoding="utf-8")
    assert NUMBER.sub("#", drawn) == NUMBER.sub("#", kept)
    # The last printed digit may round differently on another machine.
    assert [float(number) for number in NUMBER.findall(drawn)] == pytest.approx(
        [float(number) for number in NUMBER.findall(kept)], rel=2e-3, abs=0.11 if "chart" in kept else 1e-4
    )


def test_no_picture_is_left_over():
    assert {path.name for path in (DOCS / "pictures").iterdir()} == set(pictures.PICTURES)
