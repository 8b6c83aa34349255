"""Products in bfloat16 end in numbers, on whatever machine the tests run."""

import os
import subprocess
import sys

import pytest

from regard import processor

MULTIPLY = """
import regard.shapes, torch
x = torch.arange(64 * 64, dtype=torch.float32).view(64, 64) / 4096
exact, near = x @ x.T, (x.bfloat16() @ x.bfloat16().T).float()
assert (near - exact).abs().max() < 0.02 * exact.abs().max()
"""


def test_a_product_in_bfloat16_does_not_end_the_process():
    clean = {key: value for key, value in os.environ.items() if key != processor.LIMIT}
    subprocess.run([sys.executable, "-c", MULTIPLY], check=True, env=clean)


@pytest.mark.parametrize(
    ("announced", "palettes", "limit"),
    [(True, 0, processor.BEFORE_TILES), (True, 1, None), (True, None, None), (False, 0, None)],
)
def test_only_tiles_without_sizes_are_left_alone(monkeypatch, announced, palettes, limit):
    monkeypatch.delenv(processor.LIMIT, raising=False)
    monkeypatch.setattr(processor, "announces_tiles", lambda: announced)
    monkeypatch.setattr(processor, "tile_palettes", lambda: palettes)
    processor.keep_off_broken_tiles()
    assert os.environ.get(processor.LIMIT) == limit


def test_what_the_user_set_stays(monkeypatch):
    monkeypatch.setenv(processor.LIMIT, "AVX2")
    monkeypatch.setattr(processor, "announces_tiles", lambda: True)
    monkeypatch.setattr(processor, "tile_palettes", lambda: 0)
    processor.keep_off_broken_tiles()
    assert os.environ[processor.LIMIT] == "AVX2"


@pytest.mark.parametrize(
    ("text", "announced"), [("flags\t\t: fpu amx_tile sse\n", True), ("flags\t\t: fpu\n", False), ("", False)]
)
def test_the_flags_of_linux_are_read(tmp_path, text, announced):
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\n{text}")
    assert processor.announces_tiles(tmp_path / "cpuinfo") is (announced and processor.platform.machine() == "x86_64")
    assert processor.announces_tiles(tmp_path / "missing") is False
