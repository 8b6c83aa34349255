"""Training, ours against torch, transformers and x-transformers: python bench/training.py --help.

Models of one size that all learn from the same sentences take turns in one run, each in a process of its own, and so
does a product of two large matrices: the machine's peak in that very round. A step is forward, loss, backward and Adam;
of ours it is what `regard train` does, which also puts the batch together, takes the gradient's norm and keeps the
memory that a step frees. How they are made alike is told in parts/steps.py. Nothing fails when a goal is missed: a
clock is no test.
"""

import json
import math
import time
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

MATMUL = "matmul"
MOST = {"256": 60, "512": 150}  # seconds for the rounds of a case, after which the round that was begun is the last


@dataclass(frozen=True)
class Goal:
    """Times the target tokens of the best other, and the share of what the products alone would take."""

    speed: float
    share: float


GOALS = {"256": Goal(1.3, 0.8), "512": Goal(1.1, 0.9)}


def sizes(quick: bool) -> dict[str, Any]:
    from parts.steps import Size

    usual = {"256": Size(256, 3, 1024, 4), "512": Size(512, 6, 2048, 8)}
    small = {"layers": 1, "vocabulary": 1000, "rows": 4, "length": 8}
    return {name: replace(size, **small) for name, size in usual.items()} if quick else usual


@dataclass(frozen=True)
class Race:
    """The times of one case, and what they mean."""

    name: str
    size: Any
    times: Any
    weights: dict[str, int]
    losses: dict[str, float]
    missing: dict[str, str]
    product: Any

    def rate(self, name: str) -> Any:
        """Target tokens a second."""
        from measure import Spread

        return Spread.of([self.size.tokens / second for second in self.times[name]])

    def best(self) -> tuple[str, Any] | None:
        """The fastest other, and how many times as fast as it we are, round by round."""
        from measure import ratio
        from parts.steps import COARSE, OURS

        others = {name: ratio(self.times, name, OURS) for name in self.weights if name not in (OURS, COARSE)}
        return min(others.items(), key=lambda item: item[1].median) if others else None

    def peak(self) -> Any:
        """Operations a second of the large product."""
        from measure import Spread

        return Spread.of([self.product.work / second for second in self.times[MATMUL]])

    def share(self, name: str) -> Any:
        """6 x parameters x tokens at the peak of the same round, over the time that was taken."""
        from measure import Spread

        work = 6.0 * self.weights[name] * self.size.tokens
        ideal = [work * second / self.product.work for second in self.times[MATMUL]]
        return Spread.of([least / taken for least, taken in zip(ideal, self.times[name], strict=True)])

    def plain(self, goal: Goal | None) -> dict[str, Any]:
        from parts.steps import OURS

        best, share = self.best(), self.share(OURS)
        rows = {
            name: {
                "tokens_per_second": self.rate(name)._asdict(),
                "share": self.share(name)._asdict(),
                "weights": self.weights[name],
                "loss": self.losses[name],
            }
            for name in self.weights
        }
        return {
            "case": self.name,
            "size": asdict(self.size),
            "rows": rows,
            "peak": self.peak()._asdict(),
            "best_other": best and best[0],
            "speed": best and best[1]._asdict(),
            "goal": goal and asdict(goal),
            "speed_met": goal and best and best[1].median >= goal.speed,
            "share_met": goal and share.median >= goal.share,
            "missing": self.missing,
        }


def run(name: str, size: Any, rounds: int) -> Race:
    """Everybody who is there, in turns; a loss that no fresh model has is an error."""
    from measure import interleaved
    from parts.apart import Apart
    from parts.peak import SIDES, fastest
    from parts.steps import ENTRANTS

    entered, losses, missing = {}, {}, {}
    for who in ENTRANTS:
        try:
            entered[who] = Apart.start(who, size)
        except ImportError as problem:
            missing[who] = f"not installed ({problem})"
            continue
        losses[who] = entered[who].step()
        if not 0 < losses[who] < 3 * math.log(size.vocabulary):
            raise click.ClickException(f"{who} begins with a loss of {losses[who]:.2f}: it was not built as meant")
    product = fastest((256,) if size.tokens < 100 else SIDES)
    ways = {who: entrant.step for who, entrant in entered.items()} | {MATMUL: product.multiply}
    times = interleaved(ways, rounds, seconds=MOST[name])
    for entrant in entered.values():
        entrant.stop()
    return Race(name, size, times, {who: it.weights for who, it in entered.items()}, losses, missing, product)


def show(race: Race, goal: Goal | None, console: Any) -> None:
    from measure import ratio
    from parts.steps import OURS
    from report import number
    from rich.table import Table

    size = race.size
    what = (
        f"{size.layers} + {size.layers} layers, feed-forward {size.inner}, {size.heads} heads, {size.vocabulary} words"
    )
    title = f"width {size.width}, {what}: {size.rows} x {size.length} target tokens a step"
    grid = Table(title=title, title_justify="left", title_style="bold")
    grid.add_column("")
    for column in ("tokens/s", "range", "n", f"{OURS} is", "range", "of the peak", "parameters", "first loss"):
        grid.add_column(column, justify="right", no_wrap=True)
    for name, weights in race.weights.items():
        rate, times = race.rate(name), ratio(race.times, name, OURS)
        grid.add_row(
            name,
            number(rate.median),
            f"{number(rate.low)} – {number(rate.high)}",
            str(rate.count),
            "" if name == OURS else f"{times.median:.2f}x",
            "" if name == OURS else f"{times.low:.2f} – {times.high:.2f}",
            f"{race.share(name).median:.0%}",
            f"{weights / 1e6:.2f}M",
            f"{race.losses[name]:.2f}",
        )
    console.print(grid)
    for name, reason in race.missing.items():
        console.print(f"{name} did not take part: {reason}", highlight=False)
    peak, share, best = race.peak(), race.share(OURS), race.best()
    side, between = race.product.side, f"{peak.low / 1e9:.0f} – {peak.high / 1e9:.0f}"
    how = f"float32 {side} x {side}, {race.product.how}"
    console.print(f"peak: {peak.median / 1e9:.0f} GFLOP/s ({between}), {how}", highlight=False)
    if best is not None:
        name, speed = best
        aim = f" (goal ≥ {goal.speed:g}x: {met(speed.median >= goal.speed)})" if goal else ""
        console.print(f"{OURS} is {speed.median:.2f}x the best of the others, {name}{aim}", highlight=False)
    aim = f" (goal ≥ {goal.share:.0%}: {met(share.median >= goal.share)})" if goal else ""
    between = f"{share.low:.0%} – {share.high:.0%}"
    console.print(
        f"{OURS} does 6 x parameters x tokens at {share.median:.0%} of the peak, {between}{aim}\n", highlight=False
    )


def met(is_met: bool) -> str:
    return "[green]met[/]" if is_met else "[red]missed[/]"


def versions() -> str:
    found = []
    for package in ("transformers", "x-transformers"):
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"no {package}")
    return ", ".join(found)


@click.command()
@click.option("--case", "names", default="256,512", show_default=True, help="Widths to run.")
@click.option("--rounds", default=7, show_default=True, help="Rounds of a case; it ends early after its share of time.")
@click.option("--threads", "count", default=2, show_default=True, help="Threads of everybody.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the numbers here, too.")
@click.option("--quick", is_flag=True, help="Tiny models and two rounds, to try the program: no goal applies.")
def main(names: str, rounds: int, count: int, file: Path | None, quick: bool) -> None:
    """Measure training on this machine, beside its peers."""
    from measure import threads
    from report import load, machine
    from rich.console import Console

    from regard.errors import lookup

    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=150)
    chosen = {name: lookup(sizes(quick), name, "case") for name in (part.strip() for part in names.split(","))}
    began, parts = time.perf_counter(), []
    with threads(count):
        told = f"{machine()}, {versions()}"
        console.print(told, highlight=False)
        if load() > 0.5:
            console.print("[yellow]Others are at work on this machine: times below mean little.[/]")
        for name, size in chosen.items():
            goal = None if quick else GOALS[name]
            race = run(name, size, 2 if quick else rounds)
            show(race, goal, console)
            parts.append(race.plain(goal))
    console.print(f"{time.perf_counter() - began:.0f} s in all", highlight=False)
    if file:
        answer = {"machine": told, "quick": quick, "parts": parts}
        file.write_text(json.dumps(answer, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
