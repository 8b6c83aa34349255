import base64

import numpy as np
import pytest

from regard.pictures import Album, Picture
from regard.pictures.colours import LIGHT, hexadecimal
from regard.pictures.page import UNPAINTED, payload

GRID = [[0.9, 0.1, 0.0], [0.8, 0.15, 0.05], [0.7, 0.1, 0.2]]


def numbers(panel):
    return np.frombuffer(base64.b64decode(panel["numbers"]), "<f4")


def steps(panel, scale):
    (found,) = (one for one in panel["scales"] if one["id"] == scale)
    return np.frombuffer(base64.b64decode(found["steps"]), np.uint8)


def test_numbers_are_exact_to_the_last_bit_of_float32():
    grid = np.random.default_rng(0).random((5, 7)).astype(np.float32)
    (panel,) = payload(Album([Picture(grid)]))["panels"]
    np.testing.assert_array_equal(numbers(panel), grid.ravel())


def test_the_three_scales_of_weights_are_one_click_apart_and_say_what_they_did():
    (panel,) = payload(Album([Picture(GRID, columns=["The", "cat", "sat"])]))["panels"]
    assert [one["name"] for one in panel["scales"]] == ["linear", "log", "without the sink"]
    assert panel["chosen"] == "linear"
    assert panel["scales"][2]["note"] == "without the sink: The (80%)"
    assert panel["scales"][2]["ends"] == ["0", "0.2"]


def test_shades_are_those_of_the_scale():
    (panel,) = payload(Album([Picture(GRID)]))["panels"]
    np.testing.assert_array_equal(
        steps(panel, "linear"), 32 + np.maximum(np.round(32 * np.ravel(GRID)), np.sign(np.ravel(GRID)))
    )
    assert (steps(panel, "sink").reshape(3, 3)[:, 0] == UNPAINTED).all()
    assert steps(panel, "sink").reshape(3, 3)[2, 2] == 64


def test_a_difference_has_its_own_scale_only():
    data = payload(Album([Picture([[-1.0, 0.0, 1.0]], scale="difference")]))
    (panel,) = data["panels"]
    assert [one["id"] for one in panel["scales"]] == ["difference"]
    assert steps(panel, "difference").tolist() == [0, 32, 64]
    assert data["themes"]["light"]["shades"][0] == hexadecimal(LIGHT.colour(-1))


def test_what_is_no_number_is_not_painted():
    (panel,) = payload(Album([Picture([[float("nan"), 1e300]])]))["panels"]
    assert steps(panel, "linear").tolist() == [UNPAINTED, 64]
    assert np.isnan(numbers(panel)[0])


@pytest.mark.parametrize("scale", ["log", "sink"])
def test_the_scale_that_was_asked_for_is_chosen(scale):
    (panel,) = payload(Album([Picture(GRID, scale=scale)]))["panels"]
    assert panel["chosen"] == scale
    assert {one["id"] for one in panel["scales"]} == {"linear", "log", "sink"}
