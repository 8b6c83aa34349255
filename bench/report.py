"""What was measured, beside what was hoped for."""

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from measure import Spread
from rich.console import Console
from rich.table import Table as Grid


@dataclass(frozen=True)
class Row:
    """One measurement; with a goal it is at most that, or exactly that."""

    what: str
    measured: Spread
    unit: str
    goal: float | None = None
    exactly: bool = False
    note: str = ""

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        if self.exactly:
            return self.measured.low == self.measured.high == self.goal
        return self.measured.median <= self.goal


@dataclass(frozen=True)
class Table:
    """The rows of one part."""

    title: str
    rows: Sequence[Row]


def show(table: Table, console: Console) -> None:
    grid = Grid(title=table.title, title_justify="left", title_style="bold", expand=False)
    grid.add_column("")
    for column in ("median", "range", "n", "goal"):
        grid.add_column(column, justify="right", no_wrap=True)
    grid.add_column("met")
    grid.add_column("note")
    for row in table.rows:
        median, low, high, count = row.measured
        between = f"{number(low)} – {number(high)}" if count > 1 else ""
        sign = "" if row.goal is None else "= " if row.exactly else "≤ "
        grid.add_row(
            row.what,
            f"{number(median)} {row.unit}",
            between,
            str(count),
            "" if row.goal is None else f"{sign}{number(row.goal)} {row.unit}",
            {None: "", True: "[green]yes[/]", False: "[red]no[/]"}[row.met],
            row.note,
        )
    console.print(grid)


def number(value: float) -> str:
    """Three figures that matter."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def plain(table: Table) -> dict[str, Any]:
    """The same as plain data, for a file."""
    rows = [asdict(row) | {"measured": row.measured._asdict(), "met": row.met} for row in table.rows]
    return {"title": table.title, "rows": rows}


def machine() -> str:
    """What the numbers were taken on, and how busy it was."""
    return (
        f"{processor()}, {os.cpu_count()} cores, torch {torch.__version__} with {torch.get_num_threads()} threads, "
        f"Python {platform.python_version()}, load {load():.1f}"
    )


def load() -> float:
    """How many processes wanted a core in the last minute; 0 where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = info.read_text().splitlines() if info.exists() else []
    name = next((line.split(":")[1].strip() for line in names if line.startswith("model name")), "")
    return name or platform.processor() or platform.machine()
