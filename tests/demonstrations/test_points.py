"""Points in space: examples/points.py."""

import pytest
import torch
from demonstrations.examples import example, run_json

points = example("points")
SETS = [name for name in points.READERS if name != "a list, dense"]


def drawn(seed=1, count=20):
    return points.draw(count, torch.Generator().manual_seed(seed))[0]


@pytest.mark.parametrize("shape", points.SHAPES)
def test_points_lie_on_their_surface(shape):
    x, y, z = points.surface(shape, 50, torch.Generator().manual_seed(1)).unbind(-1)
    across = (x.square() + y.square()).sqrt()
    is_on = {
        "sphere": (x.square() + y.square() + z.square() - 1).abs(),
        "cube": (torch.stack([x, y, z]).abs().amax(0) - 1).abs(),
        "cylinder": (across - 1).abs(),
        "cone": (across - (1 - z) / 2).abs(),
        "torus": ((across - 1).square() + z.square() - 0.16).abs(),
    }[shape]
    assert is_on.max() < 1e-5
    assert z.abs().max() <= 1


@pytest.mark.parametrize("name", points.READERS)
def test_only_a_list_knows_the_order_of_points(name):
    torch.manual_seed(1)
    reader, cloud = points.READERS[name](), drawn()
    with torch.no_grad():
        change = (reader(cloud.roll(7, 1)) - reader(cloud)).abs().max()
    assert (change < 1e-5) == (name in SETS)


@pytest.mark.parametrize("name", SETS)
def test_only_distances_alone_do_not_know_how_a_shape_is_turned(name):
    torch.manual_seed(1)
    reader, cloud = points.READERS[name](), drawn()
    turned = cloud @ points.rotations(len(cloud), torch.Generator().manual_seed(2))
    with torch.no_grad():
        change = (reader(turned) - reader(cloud)).abs().max()
    assert (change < 1e-5) == (name == "attention, distances alone")


def test_a_rotation_keeps_lengths():
    turns = points.rotations(10, torch.Generator().manual_seed(1))
    torch.testing.assert_close(turns @ turns.mT, torch.eye(3).expand(10, -1, -1))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_set_is_learned_sooner_than_a_list(seed):
    a_list, a_set = (
        points.judge(points.train(points.READERS[name], seed, 100), seed) for name in ("a list, dense", SETS[1])
    )
    assert a_set[0] > a_list[0] + 0.1
    assert a_set[2] == 1


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(points, "--seeds", "1", "--steps", "2", "--chart", str(tmp_path / "chart.svg"))
    assert set(found["parameters"]) == set(points.READERS)
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
