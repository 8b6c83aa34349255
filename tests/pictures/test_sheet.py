from itertools import combinations, pairwise

import pytest

from regard.pictures import Album, Picture
from regard.pictures.sheet import BESIDE, PAGE, STEPS, lay_out, steps_of


def square(size, **how):
    names = [f"t{number}" for number in range(size)]
    return Picture([[0.5] * size for _ in range(size)], names, names, **how)


def boxes(sheet):
    """Left, top, right and bottom of the cells of every picture."""
    return [
        (one.x, one.y, one.x + one.cell * len(one.steps[0]), one.y + one.cell * len(one.steps)) for one in sheet.patches
    ]


@pytest.mark.parametrize("size", [3, 30])
def test_pictures_lie_on_the_sheet_and_not_on_each_other(size):
    sheet = lay_out(Album([square(size, title=f"layer {n // 9}", part=f"head {n % 9}") for n in range(18)]))
    found = boxes(sheet)
    assert len(found) == 18
    assert all(right <= sheet.width and bottom <= sheet.height for _, _, right, bottom in found)
    assert sheet.width <= PAGE + BESIDE
    for one, other in combinations(found, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_where_cells_are_small_only_some_names_have_room():
    few, many = (lay_out(Album([square(size)])) for size in (20, 400))
    assert sum(letters.turned for letters in few.letters) == 20
    turned = sorted(letters.x for letters in many.letters if letters.turned)
    assert 10 < len(turned) < 400
    assert min(right - left for left, right in pairwise(turned)) >= 12


def test_every_scale_has_a_legend():
    sheet = lay_out(Album([square(3), square(3, scale="log"), square(3, scale="difference"), square(3)]))
    said = ["".join(run for run, _ in letters.runs) for letters in sheet.letters]
    assert {"0", "1", "0.0001", "1   log", "-0.5", "0.5"} <= set(said)
    assert {swatch.step for swatch in sheet.swatches} >= {-STEPS, 0, STEPS}


def test_steps_are_even_and_only_zero_is_paper():
    assert steps_of([[0.0, 1e-9, 0.5, 1.0, -1e-9, -1.0, None]]) == [[0, 1, 16, 32, -1, -32, None]]
