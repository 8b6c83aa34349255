"""A finished run becomes a model that comes with the install, in src/regard/builtin.

    regard train recipes/tatoeba-en-de.toml
    python recipes/ship.py runs/tatoeba-en-de en-de
    regard evaluate en-de ../shared/data/tatoeba-en-de/test.tsv.xz --beam 4 --json > en-de.json
    python recipes/ship.py runs/tatoeba-en-de en-de --scores en-de.json

Weights become float16: they are float32 again once loaded. What the card says about data, licence and limits is in
cards.toml; the recipe is the run's; scores are those of the shipped weights, as `regard evaluate --json` printed them.
"""

import json
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import torch

from regard.card import CARD
from regard.checkpoints import Checkpoint, load_model
from regard.checkpoints.files import write_with_manifest
from regard.checkpoints.save import model_files
from regard.errors import RegardError, lookup
from regard.training.recipe.reading import read_run_recipe, write_recipe
from regard.training.recipe.recipe import Recipe

HERE = Path(__file__).parent
BUILTIN = HERE.parent / "src" / "regard" / "builtin"
LARGEST = 17_000_000  # bytes of a file
ALONG = ("tokenizer.json", "target_tokenizer.json", "tokenizer_config.json", "generation_config.json")
GENERATION = "generation_config.json"
NAMES = {"bleu": "BLEU", "chrf": "chrF", "perplexity": "perplexity", "bits_per_character": "bits per character"}
NAMES |= {"near_bits_per_character": "bits per character, after 1,000 to 2,000 tokens"}
NAMES |= {"far_bits_per_character": "bits per character, after 16,000 to 32,000 tokens"}
NAMES |= {"first_guess": "first guesses right %", "bigram_guess": "bigrams of both neighbours right %"}
"""Scores that go into a card, and how they are called there."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("name")
@click.option("--scores", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="What was measured: JSON.")
@click.option("--to", "home", type=click.Path(path_type=Path), default=BUILTIN, help="Where built-in models are.")
def main(run: Path, name: str, scores: Path | None, home: Path) -> None:
    """Write the result of the training RUN as the built-in model NAME."""
    try:
        folder = ship(run, name, home, json.loads(scores.read_text(encoding="utf-8")) if scores else None)
    except RegardError as problem:
        sys.exit(f"ship: {problem}")
    total = sum(path.stat().st_size for path in folder.iterdir())
    click.echo(f"wrote {folder}: {total / 1e6:.1f} MB{'' if scores else '; its card has no scores yet'}")


def ship(run: Path, name: str, home: Path = BUILTIN, scores: dict[str, Any] | None = None) -> Path:
    """The folder of a built-in model, from a run; one of the same name is replaced."""
    known = tomllib.loads((HERE / "cards.toml").read_text(encoding="utf-8"))
    told = lookup(known["models"], name, "built-in model in cards.toml")
    found = load_model(run / "model", dtype=torch.float16)
    content = model_files(found.model, found.config, found.architecture, str(home / name))
    files = [run / "model" / file for file in ALONG if (run / "model" / file).is_file()]

    def fill(beside: Path) -> None:
        content.write(beside, files)
        if more := told.get("generation"):
            path = beside / GENERATION
            path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | more, indent=2) + "\n")
        recipes = [write_recipe(homeless(recipe)) for recipe in followed(run)]
        data = lookup(known["data"], told["data"], "data in cards.toml")
        (beside / CARD).write_text(card(name, found, told, data, recipes, scores), encoding="utf-8")
        for path in beside.iterdir():
            if path.stat().st_size > LARGEST:
                raise RegardError(f"{path.name} has {path.stat().st_size:,} bytes, more than {LARGEST:,}: too large")

    return write_with_manifest(home / name, fill)


def followed(run: Path) -> list[Recipe]:
    """The recipe of a run, after those of the runs that it went on from."""
    recipe = read_run_recipe(run / "recipe.toml")
    above = Path(recipe.start).parents if recipe.start else ()
    before = next((folder for folder in above if (folder / "recipe.toml").is_file()), None)
    return [*(followed(before) if before is not None else []), recipe]


def homeless(recipe: Recipe) -> Recipe:
    """The same without the folders of the machine that it ran on."""
    train, valid = (tuple(Path(file).name for file in files) for files in (recipe.data.train, recipe.data.valid))
    data = replace(recipe.data, train=train, valid=valid, folder="")
    start = Path(recipe.start)
    home = next((folder for folder in start.parents if (folder / "recipe.toml").is_file()), None)
    known = start.name if home is None else f"runs/{home.name}/{start.relative_to(home)}"
    return replace(recipe, run=f"runs/{Path(recipe.run).name}", start=known if recipe.start else "", data=data)


def card(
    name: str,
    found: Checkpoint,
    told: dict[str, Any],
    data: dict[str, Any],
    recipes: list[str],
    scores: dict[str, Any] | None,
) -> str:
    """README.md: what the model is, its data and their licence, what it reached and what it cannot, its recipe."""
    measured = {key: scores["scores"][key] for key in NAMES if key in scores["scores"]} if scores else {}
    head = {
        "language": told["languages"],
        "license": data["licence"],
        "library_name": "transformers",
        "pipeline_tag": told["pipeline"],
        "tags": ["regard"],
    }
    if measured:
        metrics = [{"type": key, "name": NAMES[key], "value": round(value, 4)} for key, value in measured.items()]
        dataset = {"name": told["test"], "type": told["data"], "split": "test"}
        head["model-index"] = [
            {"name": name, "results": [{"task": {"type": told["pipeline"]}, "dataset": dataset, "metrics": metrics}]}
        ]
    front = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items())
    count = sum(weight.numel() for weight in found.model.parameters())
    rows = "\n".join(f"| {NAMES[key]} | {value:.2f} |" for key, value in measured.items())
    details = (scores or {}).get("details", {})
    signatures = "\n".join(
        f"- {NAMES[key]}: `{one['signature']}`" for key, one in details.items() if "signature" in one
    )
    texts = f" ({scores['texts']:,} texts)" if scores and scores["texts"] > 1 else ""
    reached = f"On {told['test']}{texts}:\n\n| score | value |\n|---|---:|\n{rows}\n" if scores else ""
    limits = "\n".join(f"- {limit}" for limit in told["limits"])
    return CARD_TEXT.format(
        front=front,
        name=name,
        what=told["what"],
        architecture=found.architecture,
        count=f"{count:,}",
        usage=told["usage"],
        data=data["what"],
        terms=data["terms"],
        attribution=data["attribution"],
        scores=f"{reached}\n{signatures}\n" if signatures else reached,
        limits=limits,
        recipes="\nthen with this one:\n\n".join(f"```toml\n{recipe}```\n" for recipe in recipes),
    )


CARD_TEXT = """---
{front}
---
# {name}

{what} A {architecture} with {count} parameters, trained with `regard`; weights are stored in float16.

{usage}

## Data and licence

{data}

{terms}

Attribution: {attribution}

## Scores

{scores}
## Limits

{limits}

## How it was trained

`regard train` with this recipe:

{recipes}"""

if __name__ == "__main__":
    main()
