"""Whatever is typed: one clear line, no traceback, no hang, and never success with what cannot be meant."""

import os
import sys

import pytest

pytest.importorskip("transformers")
if not hasattr(os, "fork"):
    pytest.skip("command lines are run in forked children", allow_module_level=True)

from cli.command_lines import CommandLines, Inventory, Line, fault, run_forked, run_process


@pytest.fixture(scope="module")
def inventory(tmp_path_factory):
    return Inventory(tmp_path_factory.mktemp("hostile"))


def faults(lines: list[Line], outcomes) -> list[str]:
    return [
        f"{wrong}\n    {line}\n    {outcome.stderr[-300:]}"
        for line, outcome in zip(lines, outcomes, strict=True)
        if (wrong := fault(line, outcome))
    ]


@pytest.mark.parametrize(
    ("seed", "count"), [(0, 60), *(pytest.param(n, 1000, marks=pytest.mark.proof) for n in range(1, 21))]
)
def test_any_command_line_ends_in_order(inventory, seed, count):
    lines = [lines.line() for lines in [CommandLines(inventory, seed)] for _ in range(count)]
    wrong = faults(lines, run_forked(lines, inventory.home))
    print(f"seed {seed}: {count} command lines, {sum(line.is_bad for line in lines)} bad, {len(wrong)} faults")
    assert not wrong, f"{len(wrong)} faults, the first:\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize(("seed", "count"), [(0, 2), pytest.param(100, 500, marks=pytest.mark.proof)])
def test_so_does_it_as_a_process_of_its_own(inventory, seed, count):
    lines = [lines.line() for lines in [CommandLines(inventory, seed)] for _ in range(count)]
    wrong = faults(lines, [run_process(line, inventory.home) for line in lines])
    print(f"seed {seed}: {count} processes, {sum(line.is_bad for line in lines)} bad, {len(wrong)} faults")
    assert not wrong, f"{len(wrong)} faults, the first:\n" + "\n".join(wrong[:20])


def test_a_traceback_would_be_seen(inventory, monkeypatch):
    import regard.cli.mask as mask

    def breaks(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(mask, "refuse_strays", breaks)
    line = Line(("mask", "causal"), inventory.good[0], "", is_bad=False)
    (wrong,) = faults([line], run_forked([line], inventory.home))
    assert "ZeroDivisionError" in wrong


def test_a_crash_would_be_seen_and_the_rest_goes_on(inventory, monkeypatch):
    import regard.cli.mask as mask

    monkeypatch.setattr(mask, "refuse_strays", lambda *_: os.kill(os.getpid(), 9))
    lines = [
        Line((name, *rest), inventory.good[0], "", False)
        for name, *rest in (["models"], ["mask", "causal"], ["models"])
    ]
    outcomes = run_forked(lines, inventory.home)
    assert [outcome.code for outcome in outcomes] == [0, -9, 0], sys.platform
