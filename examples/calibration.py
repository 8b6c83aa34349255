"""Is a model as sure as it is right? And the one temperature that mends it: Guo et al. 2017.

A small classifier learns from a few examples that this script makes, of classes that overlap, too long for its own
good: the longer, the surer, whether right or not. One number, by which all its scores are divided, is fitted on
examples it did not see, and tried on others. The same where some labels are wrong, which is not a matter of
temperature. The built-in models are measured where a text is given, by the chances of each next token.

    python examples/calibration.py --chart calibration.svg
    python examples/calibration.py --model shakespeare --text input.txt.xz
    python examples/calibration.py --model en-de --pairs valid.tsv.xz --test test.tsv.xz
"""

import json
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import click
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import regard
from regard.looking.calibration import Reliability, fit_temperature, negative_log_likelihood, reliability
from regard.pictures.chart import lines
from regard.tasks import Task, TranslateTask
from regard.text.lines import read_lines
from regard.training.objectives import TranslationObjective

CLASSES, WIDTH, APART = 10, 20, 0.5
ROWS = {  # epochs, and the share of labels that are another class's
    "10 epochs": (10, 0.0),
    "30 epochs": (30, 0.0),
    "100 epochs": (100, 0.0),
    "300 epochs": (300, 0.0),
    "30, wrong labels": (30, 0.3),
    "300, wrong labels": (300, 0.3),
}

Scored = tuple[Tensor, Tensor]  # scores (rows, classes) and the right answers


@dataclass(frozen=True)
class Judged:
    """How sure and how right, before and after a temperature that was fitted on other examples."""

    predictions: int
    right: float
    sure: float
    error: float
    loss: float
    temperature: float
    sure_after: float
    error_after: float
    loss_after: float


def judge(valid: Scored, test: Scored) -> tuple[Judged, Reliability, Reliability]:
    """Fit on the one, measure on the other; also the bins before and after."""
    temperature = fit_temperature(*valid)
    before, after = reliability(*test), reliability(*test, temperature=temperature)
    count = int(before.counts.sum())
    right = float(before.right.sum()) / count
    judged = Judged(
        count,
        right,
        right + before.overconfidence(),
        before.error(),
        negative_log_likelihood(*test),
        temperature,
        right + after.overconfidence(),
        after.error(),
        negative_log_likelihood(*test, temperature),
    )
    return judged, before, after


def made(count: int, seed: int, middles: Tensor, wrong: float) -> tuple[Tensor, Tensor]:
    """Points around the middles of classes; a share of them have a label drawn by lot."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    points = middles[labels] + torch.randn(count, WIDTH, generator=generator)
    is_wrong = torch.rand(count, generator=generator) < wrong
    return points, torch.where(is_wrong, torch.randint(CLASSES, (count,), generator=generator), labels)


def classifier(seed: int, epochs: int, wrong: float, examples: int = 1000) -> tuple[Scored, Scored]:
    """Scores of a net with one hidden layer on examples for fitting and for judging, after so many epochs."""
    torch.manual_seed(seed)
    middles = APART * torch.randn(CLASSES, WIDTH)
    points, labels = made(examples, 3 * seed, middles, wrong)
    net = nn.Sequential(nn.Linear(WIDTH, 128), nn.ReLU(), nn.Linear(128, CLASSES))
    optimiser = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(epochs):
        for rows in torch.randperm(examples).split(50):
            optimiser.zero_grad()
            F.cross_entropy(net(points[rows]), labels[rows]).backward()
            optimiser.step()
    with torch.no_grad():
        valid, test = (made(count, 3 * seed + more, middles, wrong) for more, count in ((1, 1000), (2, 5000)))
        return (net(valid[0]), valid[1]), (net(test[0]), test[1])


@torch.no_grad()
def text_scores(task: Task, text: str, tokens: int) -> Scored:
    """The scores of each next token of a text, in windows as long as the model reads."""
    ids = torch.tensor(task.tokenizer.encode(text, bare=True).ids[: tokens + 1])
    windows = [
        ids[start : start + (task.max_length or 512) + 1] for start in range(0, len(ids) - 1, task.max_length or 512)
    ]
    return torch.cat([task.model(window[None, :-1])[0] for window in windows]), ids[1:]


@torch.no_grad()
def pair_scores(task: TranslateTask, pairs: list[tuple[str, str]], tokens: int) -> Scored:
    """The scores of each next token of the translations of a file, told the source and the tokens before."""
    objective = TranslationObjective(start=task.processor.start(), pad=task.tokenizer.specials.pad or 0)
    rows = [
        (np.array(task.processor.encode_source(source, "").ids), np.array(task.processor.encode_target(target).ids))
        for source, target in pairs
    ]
    scores, answers = [], []
    for first in range(0, len(rows), 50):
        batch = objective.batch(rows[first : first + 50], torch.Generator())
        logits = task.model(batch.source, batch.target, attention_mask=batch.attention_mask).flatten(0, 1)
        scores.append(logits if batch.positions is None else logits[batch.positions])
        answers.append(batch.answers)
        if sum(map(len, answers)) >= tokens:
            break
    return torch.cat(scores)[:tokens], torch.cat(answers)[:tokens]


def built_in(
    model: str, text: Path | None, pairs: Path | None, test: Path | None, tokens: int
) -> tuple[Scored, Scored]:
    """Scores for fitting and for judging: of two files, or of two parts of one."""
    task = regard.load(model)
    if isinstance(task, TranslateTask):
        if pairs is None:
            raise click.UsageError(f"{model} translates: give --pairs, a file of source, tab, target")
        columns = [
            [tuple(line.split("\t")[:2]) for line in islice(read_lines(path), 20000)] for path in (pairs, test) if path
        ]
        half = len(columns[0]) // 2
        first, second = columns if len(columns) == 2 else (columns[0][:half], columns[0][half:])
        return pair_scores(task, first, tokens), pair_scores(task, second, tokens)
    if text is None:
        raise click.UsageError(f"{model} writes on: give --text, a file whose last tenth it has not learned")
    whole = "".join(read_lines(text, ends=True))
    held_out = whole[len(whole) * 9 // 10 :]
    half = len(held_out) // 2
    return text_scores(task, held_out[:half], tokens), text_scores(task, held_out[half:], tokens)


def curve(bins: Reliability) -> list[tuple[float, float]]:
    """Points of a reliability diagram; bins of fewer than 20 predictions are left out."""
    return [
        (sure, right if count >= 20 else float("nan"))
        for sure, right, count in zip(
            *(part.tolist() for part in (bins.confidence, bins.accuracy, bins.counts)), strict=True
        )
    ]


def diagram(title: str, series: dict[str, list[tuple[float, float]]]) -> str:
    """Right against sure: on the diagonal a model is as sure as it is right."""
    return lines({"as sure as right": [(0.0, 0.0), (1.0, 1.0)], **series}, title=title, x="how sure", y="share right")


@click.command()
@click.option("--seeds", default=3, show_default=True)
@click.option("--model", help="A built-in model, a folder or a Hub id, in place of the small classifier.")
@click.option("--text", type=click.Path(path_type=Path), help="A text, of which the last tenth is read.")
@click.option("--pairs", type=click.Path(path_type=Path), help="Lines of source, tab, target, to fit on.")
@click.option("--test", type=click.Path(path_type=Path), help="Other such lines to judge by; else half of --pairs.")
@click.option("--tokens", default=5000, show_default=True, help="So many tokens to fit on, and as many to judge by.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw a reliability diagram, as an SVG.")
def main(
    seeds: int,
    model: str | None,
    text: Path | None,
    pairs: Path | None,
    test: Path | None,
    tokens: int,
    as_json: bool,
    chart: Path | None,
) -> None:
    """Compare how sure a model is with how right, and mend it by one temperature."""
    table: dict[str, Judged] = {}
    series: dict[str, list[tuple[float, float]]] = {}
    if model is not None:
        table[model], before, after = judge(*built_in(model, text, pairs, test, tokens))
        series = {model: curve(before), f"at temperature {table[model].temperature:.2f}": curve(after)}
    else:
        for name, settings in ROWS.items():
            runs = [judge(*classifier(seed, *settings)) for seed in range(seeds)]
            columns = zip(*(asdict(run[0]).values() for run in runs), strict=True)
            table[name] = Judged(*(sum(column) / seeds for column in columns))
            if settings[0] == max(epochs for epochs, _ in ROWS.values()):
                series[name] = curve(sum((run[1] for run in runs[1:]), runs[0][1]))
                series[f"{name}, mended"] = curve(sum((run[2] for run in runs[1:]), runs[0][2]))
    if as_json:
        click.echo(json.dumps({name: asdict(judged) for name, judged in table.items()}, indent=1))
    else:
        click.echo(
            f"{'':18}{'right':>7}{'sure':>7}{'ECE':>7}{'loss':>7}{'temperature':>13}{'sure':>7}{'ECE':>7}{'loss':>7}"
        )
        for name, one in table.items():
            click.echo(
                f"{name:18}{100 * one.right:>6.1f}%{100 * one.sure:>6.1f}%{100 * one.error:>6.1f}%{one.loss:>7.2f}"
                f"{one.temperature:>13.2f}"
                f"{100 * one.sure_after:>6.1f}%{100 * one.error_after:>6.1f}%{one.loss_after:>7.2f}"
            )
    if chart:
        chart.write_text(diagram("How sure and how right", series), encoding="utf-8")


if __name__ == "__main__":
    main()
