"""The curves of runs: what their logs say, as pictures."""

from collections.abc import Sequence
from pathlib import Path

from regard.errors import RegardError
from regard.training.run.log import LogLine, read_log

Points = list[tuple[float, float]]


def curves(runs: Sequence[Path], score: str = "loss") -> dict[str, Points]:
    """(step, value) of every run: what it learned from, and the valid set."""
    points_by_name: dict[str, Points] = {}
    keys: set[str] = set()
    for run, name in zip(runs, run_names(runs), strict=True):
        lines = read_log(run)
        if not lines:
            raise RegardError(f"{run}: no log.jsonl of a training")
        keys |= {key for line in lines for key in (*line, *line.get("valid", {}))}
        for what, points in ((name, training_points(lines, score)), (f"{name} valid", valid_points(lines, score))):
            if points:
                points_by_name[what] = points
    if not points_by_name:
        numbers = ", ".join(sorted(keys - {"step", "valid", "final", "skipped", "epoch"}))
        raise RegardError(f"no {score!r} in the logs: {numbers or 'nothing yet'}")
    return points_by_name


def training_points(lines: Sequence[LogLine], score: str) -> Points:
    return [(line["step"], line[score]) for line in lines if isinstance(line.get(score), (int, float))]


def valid_points(lines: Sequence[LogLine], score: str) -> Points:
    return [
        (line["step"], line["valid"][score]) for line in lines if score in line.get("valid", {}) and "final" not in line
    ]


def run_names(runs: Sequence[Path]) -> list[str]:
    """The last part of each path; all of it where two are alike."""
    last = [run.resolve().name for run in runs]
    return [str(run) if last.count(name) > 1 else name for run, name in zip(runs, last, strict=True)]
