import pytest

from regard.errors import UnknownName
from regard.training.optimisation.schedules import SCHEDULES, learning_rate_at


def rates(schedule, warmup=10, steps=100, minimum=0.0):
    settings = {"peak": 0.5, "schedule": schedule, "warmup": warmup, "steps": steps, "minimum": minimum}
    return [learning_rate_at(step, **settings) for step in range(1, steps + 1)]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_rate_rises_evenly_to_its_height_and_never_again(schedule):
    found = rates(schedule)
    assert found[:10] == pytest.approx([0.05 * step for step in range(1, 11)])
    assert found[9:] == sorted(found[9:], reverse=True)
    assert max(found) <= 0.5
    assert min(found) > 0 or schedule == "cosine"


def test_the_inverse_square_root_halves_with_four_times_the_steps():
    found = rates("inverse-square-root")
    assert found[39] == pytest.approx(found[9] / 2)


def test_linear_and_cosine_end_near_nothing_and_not_below_the_floor():
    for schedule in ("linear", "cosine"):
        assert rates(schedule)[-1] < 0.01
        assert 0.1 <= rates(schedule, minimum=0.1)[-1] < 0.11


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_cooldown_takes_the_last_steps_evenly_to_the_floor_and_leaves_the_others(schedule):
    settings = {"peak": 0.5, "schedule": schedule, "warmup": 10, "steps": 100, "minimum": 0.1}
    cooled = [learning_rate_at(step, **settings, cooldown=20) for step in range(1, 101)]
    plain = rates(schedule, minimum=0.1)
    assert cooled[:81] == plain[:81]
    shares = [(one - 0.1) / (other - 0.1) for one, other in zip(cooled[80:99], plain[80:99], strict=True)]
    assert shares == pytest.approx([1 - number / 20 for number in range(19)])


def test_no_warm_up_begins_at_the_height():
    assert rates("constant", warmup=0)[0] == 0.5


def test_an_unknown_schedule_is_named():
    with pytest.raises(UnknownName, match="did you mean 'cosine'"):
        rates("cosin")
