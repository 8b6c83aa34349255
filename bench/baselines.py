"""What the recipes' results are compared with, in one run: python bench/baselines.py --help.

A run's folder is only read. Data that is not there is said to be missing, and nothing is downloaded.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
LOSS = 1.88  # nanoGPT's README, its setting for a CPU

data_option = click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), default=DATA, help="The folder of all data sets."
)


def run_option(name: str) -> Callable[[Any], Any]:
    kind = click.Path(path_type=Path, file_okay=False)
    return click.option(
        "--run",
        type=kind,
        default=ROOT / "runs" / name,
        help=f"A run's folder, or a model's; runs/{name} unless given.",
    )


@click.group()
@click.option("--threads", default=2, show_default=True, help="Threads of everybody.")
def main(threads: int) -> None:
    """Measure what a recipe has to beat, beside what it reached."""
    os.environ["OMP_NUM_THREADS"] = str(threads)  # before torch is imported, here and in other processes


def there(data: Path, *files: str) -> bool:
    """Whether the data is there; else a line that says so."""
    missing = [str(data / file) for file in files if not (data / file).is_file()]
    if missing:
        click.echo(f"skipped: no {', '.join(missing)}; --data says where data is")
    return not missing


def is_run(run: Path) -> bool:
    if has := (run / "model").is_dir() or (run / "config.json").is_file():
        return has
    click.echo(f"no finished model in {run}: only the others are measured; --run names another")
    return False


def met(is_met: bool) -> str:
    return "met" if is_met else "missed"


def table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    grid = Table(title=title, title_justify="left", title_style="bold")
    grid.add_column("")
    for column in columns:
        grid.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        grid.add_row(*row)
    console = Console()
    (console if console.is_terminal else Console(width=140)).print(grid)


@main.command("sst2")
@run_option("sst2")
@data_option
def sst2_command(run: Path, data: Path) -> None:
    """Whether a film is liked, against bags of words."""
    if there(data, *(f"sst2/{part}.tsv.xz" for part in ("train", "dev", "test"))):
        labels("sst2", run, data)


@main.command("trec")
@run_option("trec")
@data_option
def trec_command(run: Path, data: Path) -> None:
    """What a question asks for, against bags of words."""
    if there(data, "trec/train.txt.xz", "trec/test.txt.xz"):
        labels("trec", run, data)


def labels(name: str, run: Path, data: Path) -> None:
    from parts.bags import SPLITS, regression, trained
    from report import machine

    click.echo(machine())
    split = SPLITS[name](data)
    bag = "logistic regression, bag of words"
    found = {bag: regression(split), "the same, and pairs of words": regression(split, together=2)}
    mine = f"regard, {run.name}"
    if is_run(run):
        found[mine] = trained(split, run)
    texts = f"{len(split.train)} texts to learn from, {len(split.valid)} to choose by, {len(split.test)} that count"
    rows = [[who, f"{right.valid:.2%}", f"{right.test:.2%}", right.note] for who, right in found.items()]
    table(f"{name}: accuracy; {texts}", ["valid", "test", "note"], rows)
    if mine in found:
        more = found[mine].test - found[bag].test
        click.echo(f"{100 * more:+.2f} points over a bag of words on the test set (goal > 0: {met(more > 0)})")


@main.command()
@run_option("wikitext2-masked")
@data_option
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a key of the recipe.")
@click.option("--steps", type=int, help="Steps of the GRU; as many as the recipe has unless given.")
@click.option("--rate", type=float, help="Rate of the GRU; the recipe's unless given.")
@click.option("--layers", default=2, show_default=True, help="Layers of the GRU; its width follows.")
@click.option("--batches", type=int, help="Of the valid set; all unless given.")
def masked(
    run: Path,
    data: Path,
    changes: tuple[str, ...],
    steps: int | None,
    rate: float | None,
    layers: int,
    batches: int | None,
) -> None:
    """Hidden words of WikiText-2, against how common they are and a bidirectional GRU of equal size."""
    if not there(data, "wikitext-2/wiki.train.tokens.xz", "wikitext-2/wiki.valid.tokens.xz"):
        return
    import torch
    from parts.guessing import learn, mean, read, recurrent, size, unigram
    from report import machine

    from regard.checkpoints import load_model
    from regard.training import read_recipe
    from regard.training.data.samplers import valid_batches
    from regard.training.model.start import starting_model
    from regard.training.optimisation.learner import Learner

    click.echo(machine())
    has_run = is_run(run)
    written = run / "recipe.toml" if has_run and (run / "recipe.toml").is_file() else None
    changes = (f"data.folder={json.dumps(str(data / 'wikitext-2'))}", *changes) if written is None else changes
    recipe = read_recipe(written or ROOT / "recipes" / "wikitext2-masked.toml", changes)
    train, rows = recipe.train, []
    with tempfile.TemporaryDirectory(prefix="regard-bench-") as scratch:
        material = read(recipe, run if has_run else None, Path(scratch), click.echo)
        room = max(train.batch_tokens, 4096)  # as in the run's own log
        valid = valid_batches(material.valid, material.objective, batch_tokens=room, seed=train.seed)[:batches]
        ours = starting_model(recipe, material, click.echo).model
        rows.append(("unigram", mean(unigram(material), valid), f"{len(material.tokenizer)} words"))
        mine = None
        if has_run:
            ours = load_model(run / "model" if (run / "model").is_dir() else run).model
            learner = Learner(ours, material.objective).eval()
            mine = mean(lambda batch: learner.loss(batch).cross_entropy, valid)
        torch.manual_seed(train.seed)
        gru = recurrent(size(ours), len(material.tokenizer), recipe.model.width, layers, recipe.model.dropout)
        count = steps or train.steps
        seconds = learn(gru, material, train, count, rate or train.learning_rate, click.echo)
        told = f"{size(gru) / 1e6:.2f}M parameters, {layers} layers, {count} steps, {seconds:.0f} s"
        rows.append(("bidirectional GRU", mean(lambda batch: gru(batch)[1], valid), told))
    if mine is not None:
        told = f"{size(ours) / 1e6:.2f}M parameters, {train.steps} steps"
        rows.append((f"regard, {run.name}", mine, told))
    hidden = sum(batch.count for batch in valid)
    title = f"wikitext2-masked: loss of {hidden} hidden words of the valid set, the same for all"
    table(title, ["loss", "note"], [[who, f"{loss:.4f}", note] for who, loss, note in rows])
    if mine is not None:
        others = ", ".join(f"< {who} {loss:.3f}: {met(mine < loss)}" for who, loss, _ in rows[:-1])
        click.echo(f"goals: {others}")


@main.command()
@data_option
@click.option("--steps", default=2000, show_default=True, help="Steps of both; the goals are about 2000.")
@click.option("--rounds", default=1, show_default=True, help="How often both are run, in turns.")
def characters(data: Path, steps: int, rounds: int) -> None:
    """`regard train recipes/shakespeare-characters.toml` against a plain PyTorch loop, each a fresh process."""
    if not there(data, "tinyshakespeare/input.txt.xz"):
        return
    from measure import Spread, ratio
    from report import machine

    click.echo(machine())
    with tempfile.TemporaryDirectory(prefix="regard-bench-") as scratch:
        folder = data / "tinyshakespeare"
        loop = [sys.executable, str(ROOT / "bench" / "parts" / "plain_loop.py"), str(folder / "input.txt.xz")]
        times: dict[str, list[float]] = {"regard train": [], "plain PyTorch": []}
        inside: dict[str, list[float]] = {name: [] for name in times}
        losses: dict[str, float] = {}
        for turn in range(rounds):
            for name in list(times)[:: 1 if turn % 2 == 0 else -1]:
                run = Path(scratch) / str(turn)
                command = trained_by(run, folder, steps) if name == "regard train" else [*loop, str(steps)]
                start = time.perf_counter()
                answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
                times[name].append(time.perf_counter() - start)
                found = logged(run) if name == "regard train" else json.loads(answer)
                inside[name].append(found["steps"])
                losses[name] = found["loss"]
    rows = []
    for name in times:
        all_of_it, steps_alone = Spread.of(times[name]), Spread.of(inside[name])
        between = f"{all_of_it.low:.1f} – {all_of_it.high:.1f}"
        rows.append([name, f"{all_of_it.median:.1f}", between, f"{steps_alone.median:.1f}", f"{losses[name]:.4f}"])
    columns = ["whole process, s", "range", "steps alone, s", "loss of the whole valid set"]
    table(f"shakespeare-characters: {steps} steps", columns, rows)
    share, loss = ratio(times, "regard train", "plain PyTorch").median, losses["regard train"]
    aims = (f" (goal < 1: {met(share < 1)})", f" (goal ≤ {LOSS}: {met(loss <= LOSS)})") if steps == 2000 else ("", "")
    click.echo(f"regard train takes {share:.2f}x as long as the plain loop{aims[0]}; loss {loss:.4f}{aims[1]}")


def trained_by(run: Path, folder: Path, steps: int) -> list[str]:
    """The command of a user, in a new run; saves, evaluations and all."""
    changes = {"run": json.dumps(str(run)), "data.folder": json.dumps(str(folder)), "train.steps": steps}
    told = [part for key, value in changes.items() for part in ("--set", f"{key}={value}")]
    return [sys.executable, "-m", "regard", "train", str(ROOT / "recipes" / "shakespeare-characters.toml"), *told]


def logged(run: Path) -> dict[str, float]:
    """What a run says about itself: the seconds of its steps, and the loss of its result."""
    from regard.training.run.log import TIMES, read_log

    seconds = sum(line["seconds"] for line in read_log(run, TIMES) if "seconds" in line)
    return {"steps": seconds, "loss": next(line for line in read_log(run) if "final" in line)["valid"]["loss"]}


if __name__ == "__main__":
    main()
