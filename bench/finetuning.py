"""What fine-tuning brings and what it costs: BLEU on captions (Multi30k) and on Tatoeba, by minutes of training.

    taskset -c 0 python bench/finetuning.py run start
    taskset -c 0 python bench/finetuning.py run full        # full-mixed, lora, lora-mixed: one after the other
    python bench/finetuning.py report --charts docs/charts

A minute is one of the processor, on one core: how much of it a step takes is measured first, from two short runs, and
the training then has as many steps as fit into 20 of them. Its rate falls to nothing at the end; what is measured after
5 and 10 minutes is what somebody has who stops it there (`regard train --finish`). Rates and sizes are fixed; of
Multi30k, val is there to choose them by, and test2016 and Tatoeba's test are only reported. A run that was interrupted
goes on, what is done is not done again.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import click

ROOT = Path(__file__).parents[1]
MINUTES, SHARES = 20.0, (0.25, 0.5, 1.0)  # of a training, and the parts of it after which it is measured
SHORT, LONGER = 10, 40  # steps of the two runs that tell how long a step takes
RECIPE = """run = "run"
start = "{start}"

[data]
folder = "{captions}"
train = ["train.en.gz", "train.de.gz"]
valid = ["val.en.gz", "val.de.gz"]
max_length = 128
faulty = "leave-out"
{also}
[train]
objective = "translate"
steps = {steps}
learning_rate = {learning_rate}
warmup = {warmup}
schedule = "linear"
batch_tokens = 2500
label_smoothing = 0.1
save_every = {save_every}
keep = 5
evaluate_every = {steps}
lora_rank = {rank}
"""
ALSO = """
[[data.also]]
train = ["{file}"]
weight = {weight}
"""


class Setting(NamedTuple):
    """One way to fine-tune. Low-rank matrices take a higher rate: they begin at nothing."""

    learning_rate: float
    rank: int = 0
    is_mixed: bool = False


SETTINGS = {
    "full": Setting(3e-4),
    "full-mixed": Setting(3e-4, is_mixed=True),
    "lora": Setting(2e-3, 8),
    "lora-mixed": Setting(2e-3, 8, is_mixed=True),
}


class Texts(NamedTuple):
    """Where the pairs are, as shared/data/README.md has them."""

    captions: Path
    tatoeba: Path

    def sets(self, lines: int, *, chooses: bool) -> dict[str, list[tuple[str, str]]]:
        """What is measured on, val where something is chosen by it: sources and references."""
        from regard.text.lines import read_lines

        names = {"test2016": "test_2016_flickr"} | ({"val": "val"} if chooses else {})
        sets = {
            name: list(zip(*(read_lines(self.captions / f"{file}.{side}.gz") for side in ("en", "de")), strict=True))
            for name, file in names.items()
        }
        rows = [line.split("\t") for line in read_lines(self.tatoeba / "test.tsv.xz")]
        sets["tatoeba"] = [(row[0], row[1]) for row in rows]
        return {name: pairs[:lines] if lines else pairs for name, pairs in sets.items()}


def write_recipe(folder: Path, texts: Texts, setting: Setting, start: str, steps: int) -> Path:
    """The recipe of one run; as many old pairs as new ones, where they are mixed."""
    from regard.text.lines import read_lines

    also = ""
    if setting.is_mixed:
        new, old = texts.captions / "train.en.gz", texts.tatoeba / "train.tsv.xz"
        weight = sum(1 for _ in read_lines(new)) / sum(1 for _ in read_lines(old))
        also = ALSO.format(file=old, weight=round(weight, 4))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "recipe.toml"
    path.write_text(
        RECIPE.format(
            start=start,
            captions=texts.captions,
            also=also,
            steps=steps,
            learning_rate=setting.learning_rate,
            warmup=min(50, steps // 4),
            save_every=max(1, steps // 4),
            rank=setting.rank,
        )
    )
    return path


def train(recipe: Path) -> float:
    """Train on one core, and say how many seconds of the processor that took, with those before an interruption."""
    spent = recipe.with_name("processor.json")
    before = json.loads(spent.read_text()) if spent.exists() else 0.0
    command = [sys.executable, "-m", "regard", "train", str(recipe)]
    log = recipe.with_name("log.txt").open("a")
    process = subprocess.Popen(command, env=os.environ | {"OMP_NUM_THREADS": "1"}, stdout=log, stderr=log)
    _, status, used = os.wait4(process.pid, 0)
    seconds = before + used.ru_utime + used.ru_stime
    spent.write_text(json.dumps(seconds))
    if status:
        raise click.ClickException(f"the training ended with {os.waitstatus_to_exitcode(status)}: see {log.name}")
    return seconds


def seconds_a_step(folder: Path, texts: Texts, setting: Setting, start: str) -> float:
    """How long the processor takes for a step: two short runs, so that what comes before and after is taken off."""
    known = folder / "seconds_a_step.json"
    if not known.exists():
        short, longer = (
            train(write_recipe(folder / f"steps-{steps}", texts, setting, start, steps)) for steps in (SHORT, LONGER)
        )
        known.write_text(json.dumps((longer - short) / (LONGER - SHORT)))
    return json.loads(known.read_text())


def measure(model: str, texts: Texts, lines: int, *, chooses: bool) -> dict[str, float]:
    """BLEU on each set."""
    import sacrebleu

    import regard

    translator = regard.load(model, task="translate")
    result = {}
    for name, pairs in texts.sets(lines, chooses=chooses).items():
        answers = translator([source for source, _ in pairs])
        references = [reference for _, reference in pairs]
        result[name] = round(sacrebleu.corpus_bleu([answer.text for answer in answers], [references]).score, 2)
    return result


def points(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*/*/point.json"))]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
def main() -> None:
    """Fine-tune a built-in translator on captions, and measure what that brings and costs."""


FOLDER = click.option(
    "--folder", type=click.Path(path_type=Path), default=ROOT / "runs/finetuning", help="Of the runs."
)


@main.command()
@click.argument("name", type=click.Choice(["start", *SETTINGS]))
@FOLDER
@click.option(
    "--data", type=click.Path(exists=True, file_okay=False, path_type=Path), default=ROOT.parent / "shared/data"
)
@click.option("--start", default="en-de")
@click.option("--minutes", type=float, default=MINUTES, help="Of the processor.")
@click.option("--steps", default=0, help="Instead of those that fit into the minutes.  [default: 0, those that fit]")
@click.option("--learning-rate", type=float, help="Another one, to be chosen by BLEU on val.")
@click.option("--lines", default=0, help="Of each set that is measured on; 0: all.")
def run(
    name: str,
    folder: Path,
    data: Path,
    start: str,
    minutes: float,
    steps: int,
    learning_rate: float | None,
    lines: int,
) -> None:
    """Train with one setting and measure what it is on the way; "start" measures what all begin with."""
    texts = Texts((data / "multi30k/raw").resolve(), (data / "tatoeba-en-de").resolve())
    if name == "start":
        write_point(folder / name / "0", {"setting": name, "minutes": 0}, start, texts, lines)
        return
    setting, label = SETTINGS[name], name
    if learning_rate is not None:
        setting, label = setting._replace(learning_rate=learning_rate), f"{name}-{learning_rate:g}"
    at = folder / label
    pace = 0.0 if steps else seconds_a_step(at, texts, setting, start)
    steps = 4 * max(1, (steps or int(60 * minutes / pace)) // 4)
    spent = train(write_recipe(at, texts, setting, start, steps)) / 60
    for share in SHARES:
        step = int(share * steps)
        point = {"setting": label, "minutes": share * minutes, "steps": step, "seconds_a_step": round(pace, 3)}
        point |= {"learning_rate": setting.learning_rate, "processor_minutes_of_all": round(spent, 2)}
        write_point(at / f"{step}", point, str(at / f"run/checkpoints/step-{step:08d}"), texts, lines)


def write_point(at: Path, point: dict[str, Any], model: str, texts: Texts, lines: int) -> None:
    """Measure a model, unless that was done before."""
    if not (at / "point.json").exists():
        at.mkdir(parents=True, exist_ok=True)
        point["bleu"] = measure(model, texts, lines, chooses=point["setting"] not in SETTINGS)
        (at / "point.json").write_text(json.dumps(point, indent=1))
        click.echo(json.dumps(point))


@main.command()
@FOLDER
@click.option("--charts", type=click.Path(file_okay=False, path_type=Path), help="Draw the curves: a folder of .svg.")
@click.option("--json", "as_json", is_flag=True)
def report(folder: Path, charts: Path | None, as_json: bool) -> None:
    """The points that are there, as a table of Markdown or as JSON, and as curves."""
    measured = points(folder)
    begins = [point for point in measured if point["setting"] == "start"]
    if not begins:
        raise click.ClickException(f"{folder}: nothing to compare with; `run start` measures it")
    begin, others = begins[0], [point for point in measured if point["setting"] != "start"]
    others.sort(key=lambda point: (list(SETTINGS).index(base(point)), point["setting"], point["minutes"]))
    if as_json:
        click.echo(json.dumps([begin, *others], indent=1))
    else:
        click.echo("| setting | minutes | steps | captions | Tatoeba | of it lost |\n|---|---:|---:|---:|---:|---:|")
        click.echo(f"| start | 0 | 0 | {begin['bleu']['test2016']:.1f} | {begin['bleu']['tatoeba']:.1f} | |")
        for point in others:
            captions, tatoeba = point["bleu"]["test2016"], point["bleu"]["tatoeba"]
            lost = begin["bleu"]["tatoeba"] - tatoeba
            cells = [
                point["setting"],
                f"{point['minutes']:g}",
                f"{point['steps']}",
                f"{captions:.1f}",
                f"{tatoeba:.1f}",
            ]
            click.echo(f"| {' | '.join(cells)} | {lost:.1f} |")
    if charts is not None:
        from regard.pictures.chart import lines

        for name, title in (("test2016", "captions (Multi30k test2016)"), ("tatoeba", "Tatoeba's test")):
            series: dict[str, list[tuple[float, float]]] = {}
            for point in others:
                curve = series.setdefault(point["setting"], [(0.0, begin["bleu"][name])])
                curve.append((point["minutes"], point["bleu"][name]))
            drawn = lines(series, title=f"BLEU on {title}", x="minutes of training on one core", y="BLEU")
            (charts / f"finetuning-{name}.svg").write_text(drawn, encoding="utf-8")


def base(point: dict[str, Any]) -> str:
    """The setting of a point, whatever its rate."""
    return max((name for name in SETTINGS if point["setting"].startswith(name)), key=len)


if __name__ == "__main__":
    main()
