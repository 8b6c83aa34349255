import pytest

from regard.training.run import reports
from regard.training.run.reports import BarReport, LineReport, format_values, make_report


def test_values_are_written_as_a_person_reads_them():
    assert format_values({"loss": 3.21437, "rate": 0.0005, "speed": 1234.5, "step": 7}) == (
        "loss 3.214  rate 0.0005  speed 1,234  step 7"
    )


def test_lines_come_now_and_then_and_at_the_end(monkeypatch, capsys):
    clock = iter([100.0, 100.0, 104.0, 111.0, 111.0, 112.0, 112.0])
    monkeypatch.setattr(reports.time, "monotonic", lambda: next(clock))
    report = LineReport(steps=4, every=10.0)
    for step in range(1, 5):  # at 100, 104, 111 and 112 seconds
        report.step(step, {"loss": step / 2})
    report.scores(4, {"bleu": 20.0})
    report.close()
    assert capsys.readouterr().err.splitlines() == [
        "step 1/4  loss 0.5",
        "step 3/4  loss 1.5",
        "step 4/4  loss 2",
        "step 4/4  valid  bleu 20",
    ]


@pytest.mark.parametrize(("is_terminal", "kind"), [(True, BarReport), (False, LineReport)])
def test_there_is_a_bar_on_a_terminal_and_lines_elsewhere(monkeypatch, is_terminal, kind):
    monkeypatch.setattr(reports.sys.stderr, "isatty", lambda: is_terminal, raising=False)
    report = make_report(steps=3)
    try:
        assert type(report) is kind
    finally:
        report.close()


def test_a_bar_counts_and_remembers_the_last_score(capsys):
    report = BarReport(steps=5, done=2)
    report.say("[data] 3 texts")  # no markup of the terminal's
    report.step(3, {"loss": 1.5})
    report.scores(3, {"bleu": 12.0})
    report.step(4, {"loss": 1.25})
    report.close()
    (task,) = report.bar.tasks
    assert (task.completed, task.total, task.description) == (4, 5, "loss 1.25  valid bleu 12")
    assert "[data] 3 texts" in capsys.readouterr().err
