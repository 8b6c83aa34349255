"""What each part of a model is good for: the same training again, one thing changed at a time."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

from regard.checkpoints.files import read_tensors
from regard.errors import RecipeError
from regard.settings import shown
from regard.training.recipe.reading import read_recipe
from regard.training.recipe.recipe import Recipe
from regard.training.run.log import read_log
from regard.training.run.loop import Diverged
from regard.training.run.reports import SilentReport
from regard.training.run.session import train

BASE = "as it is"


@dataclass(frozen=True)
class Variant:
    """A recipe with one key changed; without a key, as it is."""

    key: str
    value: str
    recipe: Recipe

    @property
    def name(self) -> str:
        return f"{self.key} = {self.value}" if self.key else BASE


@dataclass(frozen=True)
class AblationRow:
    """What came of a variant: its parameters, and its scores on the valid set, seed by seed.

    A run that diverged has no scores.
    """

    variant: Variant
    parameters: int
    scores: tuple[dict[str, float], ...]
    diverged: int = 0

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        variant = {"key": self.variant.key, "value": self.variant.value}
        return variant | {"parameters": self.parameters, "scores": self.scores, "diverged": self.diverged}


def read_variants(path: str | Path, changes: Sequence[str], vary: Sequence[str], **reading: Any) -> list[Variant]:
    """The recipe as it is, and for every "key=value,value" of `vary` one recipe a value; all are read before any is
    trained, so that a wrong one is found at once."""
    base = read_recipe(path, changes, **reading)
    variants = [Variant("", "", base)]
    for wanted in vary:
        key, equals, text = wanted.partition("=")
        values = split_values(text)
        if not equals or not key.strip() or not all(values):
            raise RecipeError(f"--vary {shown(wanted)}: key=value,value expected, as in model.heads=1,2,4")
        for value in values:
            recipe = read_recipe(path, [*changes, f"{key}={value}"], **reading)
            if recipe.run != base.run:
                raise RecipeError(f"--vary {shown(wanted)}: each variant has a folder of its own already")
            variants.append(Variant(key.strip(), value, recipe))
    return variants


def split_values(text: str) -> list[str]:
    """Values between commas; those in brackets, braces or quotes belong to the value."""
    values, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        depth += (character in "[{") - (character in "]}") if not quote else 0
        if character == "," and not depth and not quote:
            values.append("")
        else:
            values[-1] += character
    return [value.strip() for value in values]


def ablate(
    variants: Sequence[Variant],
    seeds: Sequence[int],
    *,
    device: str = "cpu",
    say: Callable[[str], None] = lambda line: None,
) -> Iterator[AblationRow]:
    """Train every variant with every seed, one after another; a row each as soon as it is there.

    Runs are folders beside that of the recipe, named after what was changed: what is finished is only read, what was
    stopped goes on. A variant that is the recipe as it is shares its runs.
    """
    base = variants[0].recipe
    for variant in variants:
        parameters, scores, diverged = 0, [], 0
        for seed in seeds:
            run = run_folder(base, variant, seed)
            recipe = replace(variant.recipe, run=str(run), train=replace(variant.recipe.train, seed=seed))
            try:
                model = train(recipe, device=device, reporting=SilentReport())
            except Diverged as problem:
                diverged += 1
                say(f"{variant.name}, seed {seed}: {problem}")
                continue
            parameters = sum(tensor.numel() for tensor in read_tensors(model).values())
            scores.append({name: float(value) for name, value in read_log(run)[-1]["valid"].items()})
            metric = recipe.train.metric
            say(f"{variant.name}, seed {seed}: {metric} {scores[-1].get(metric, float('nan')):.4f}")
        yield AblationRow(variant, parameters, tuple(scores), diverged)


def run_folder(base: Recipe, variant: Variant, seed: int) -> Path:
    """Where a variant is trained: beside the run of its recipe."""
    changed = "" if variant.recipe == base else f"{variant.key}={variant.value}"
    name = re.sub(r"[^A-Za-z0-9._=-]+", "-", changed).strip("-") or "base"
    return Path(f"{base.run}-ablation") / f"{name}-seed-{seed}"


def ablation_table(rows: Sequence[AblationRow], metric: str) -> str:
    """The rows as a table of Markdown: the metric and the loss, means over seeds, with the least and the greatest."""
    names = list(dict.fromkeys([metric, "loss"]))
    lines = [["changed", "to", "parameters", *names]]
    for row in rows:
        key, value = row.variant.key or BASE, row.variant.value
        cells = [spread([score[name] for score in row.scores if name in score], row.diverged) for name in names]
        lines.append([key, value, f"{row.parameters:,}" if row.parameters else "", *cells])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    aligned = [
        [cell.ljust(width) if column < 2 else cell.rjust(width) for column, (cell, width) in enumerate(cells)]
        for cells in (list(zip(line, widths, strict=True)) for line in lines)
    ]
    rule = ["-" * width if column < 2 else "-" * (width - 1) + ":" for column, width in enumerate(widths)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [aligned[0], rule, *aligned[1:]])


def spread(values: Sequence[float], diverged: int) -> str:
    """A mean, and the range where there are several."""
    if not values:
        return "diverged" if diverged else ""
    text = f"{mean(values):.3f}"
    text += f" ({min(values):.3f} – {max(values):.3f})" if len(values) > 1 else ""
    return f"{text}, {diverged} diverged" if diverged else text
