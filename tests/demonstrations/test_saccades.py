"""Where to look, and at what scale: examples/saccades.py."""

import torch
from demonstrations.examples import example, run_json

saccades = example("saccades")


def test_a_wide_look_finds_a_sign_and_cannot_read_it():
    """Every field is one mean, and all signs have as many pixels: seen from far they are one sign."""
    from regard.models.vision import surroundings

    middle = saccades.SIZE**2 // 2
    for field in range(9):
        pictures = torch.zeros(4, 1, 9, 9)
        top, left = field // 3 * 3, field % 3 * 3
        pictures[:, 0, top : top + 3, left : left + 3] = saccades.SIGNS
        far = surroundings(pictures, 3, 3)[:, middle]
        torch.testing.assert_close(far, torch.eye(9)[field].expand(4, -1) / 3)
        near = surroundings(pictures, 3, 1)[:, (top + 1) * 9 + left + 1]
        torch.testing.assert_close(near, saccades.SIGNS.flatten(1))


def test_signs_are_where_it_says():
    images, signs, fields = saccades.draw(50, torch.Generator().manual_seed(1))
    bright = images.unfold(1, 3, 3).unfold(2, 3, 3).flatten(1, 2)  # (pictures, fields, 3, 3)
    assert bright.sum((2, 3)).argmax(1).equal(fields)
    found = bright[torch.arange(50), fields]
    assert (found[:, None] - saccades.SIGNS).square().sum((2, 3)).argmin(1).equal(signs)


def test_the_command_prints_what_was_measured():
    found = run_json(saccades, "--seeds", "1", "--steps", "2")
    assert set(found) == set(saccades.MODELS)
    assert [len(run["wide"]) for (run,) in found.values()] == [2, 4, 1, 2]
    assert found["1 scale, 2 glimpses"][0]["wide"] == [0, 0]
