"""Tastes learned from ratings: examples/films.py."""

import pytest
import torch
from demonstrations.examples import example, run_json

films = example("films")


def turned(seed):
    """A rotation of the hidden vectors."""
    return torch.linalg.qr(
        torch.randn(films.HIDDEN, films.HIDDEN, generator=torch.Generator().manual_seed(seed)).double()
    ).Q


@pytest.mark.parametrize("seed", range(3))
def test_hidden_tastes_come_back_up_to_a_rotation(seed):
    ratings = films.rate(seed, 0.4)
    tastes, contents = films.factorise(ratings, films.HIDDEN, seed, rounds=15)
    assert films.explained(tastes, ratings.tastes) > 0.9
    assert films.explained(contents, ratings.contents) > 0.9
    unturned = (tastes - ratings.tastes).square().sum() / ratings.tastes.square().sum()
    assert unturned > 0.3  # as they come they lie otherwise


@pytest.mark.parametrize("seed", range(3))
def test_ratings_in_disorder_tell_nothing(seed):
    ratings = films.rate(seed, 0.4)
    order = torch.randperm(films.FILMS * films.VIEWERS, generator=torch.Generator().manual_seed(seed))
    mixed = films.Ratings(
        ratings.tastes, ratings.contents, ratings.stars.flatten()[order].view_as(ratings.stars), ratings.is_known
    )
    tastes, _ = films.factorise(mixed, films.HIDDEN, seed, rounds=15)
    assert films.explained(tastes, ratings.tastes) < 0.2


@pytest.mark.parametrize("seed", range(3))
def test_fewer_tastes_than_there_are_cannot_tell_and_the_right_number_nearly_can(seed):
    ratings = films.rate(seed, 0.2)
    few, right = (films.factorise(ratings, width, seed, rounds=15) for width in (films.HIDDEN - 1, films.HIDDEN))
    few, right = films.error(ratings, few[0] @ few[1].T), films.error(ratings, right[0] @ right[1].T)
    assert right < 1.3 * films.NOISE
    assert few > 1.5 * right


def test_attention_does_not_know_axes():
    """Turning both sides, or stretching one and shrinking the other, changes no weight."""
    ratings, turn = films.rate(1, 0.2), turned(1)
    before = films.weights(ratings.tastes, ratings.contents)
    torch.testing.assert_close(films.weights(ratings.tastes @ turn, ratings.contents @ turn), before)
    torch.testing.assert_close(films.weights(2 * ratings.tastes, ratings.contents / 2), before)
    assert films.in_common(films.weights(ratings.tastes @ turn, ratings.contents), before) < 0.9


def test_a_rotation_is_found_again():
    ratings, turn = films.rate(2, 0.2), turned(2)
    torch.testing.assert_close(films.rotate(3 * ratings.tastes @ turn, ratings.tastes), ratings.tastes)
    assert films.explained(3 * ratings.tastes @ turn, ratings.tastes) == pytest.approx(1)


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(films, "--seeds", "1", "--chart", str(tmp_path / "chart.svg"))
    assert found["error by width"]["hidden vectors"] == pytest.approx(films.NOISE, rel=0.05)
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
