"""What a log says, drawn. Also tests: cli/curves.py, pictures/plot.py."""

import pytest
from click.testing import CliRunner
from training.tiny import tiny
from training.watching import Quiet

from regard.cli.curves import curves as command
from regard.errors import RegardError
from regard.pictures.plot import plot
from regard.training import train
from regard.training.run.curves import curves


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("curves")
    train(tiny(folder), reporting=Quiet())
    return folder / "run"


def test_a_run_has_a_curve_of_what_it_learned_from_and_one_of_the_valid_set(run):
    found = curves([run])
    assert [step for step, _ in found["run"]] == [2, 4, 6, 8, 10, 12]
    assert [step for step, _ in found["run valid"]] == [4, 8, 12]


def test_a_score_that_nobody_logged_is_an_error_that_lists_the_others(run):
    with pytest.raises(RegardError, match="no 'blue' in the logs: learning_rate, loss"):
        curves([run], "blue")


def test_curves_are_drawn_in_the_terminal_and_as_svg(run, tmp_path):
    runner = CliRunner()
    assert "run valid" in runner.invoke(command, [str(run)]).output
    path = tmp_path / "curves.svg"
    assert runner.invoke(command, [str(run), "--output", str(path)]).exit_code == 0
    assert path.read_text().startswith("<svg")


def test_a_plot_goes_down_where_the_numbers_do():
    rows = plot({"a": [(0, 1.0), (10, 0.0)]}, width=30, height=4).split("\n")
    positions = [next(position for position, letter in enumerate(row) if ord(letter) > 0x2800) for row in rows[:4]]
    assert positions == sorted(positions)
    assert positions[0] < positions[-1]
