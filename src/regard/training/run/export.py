"""A trained model becomes a folder that other tools read."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from regard.checkpoints.save import model_files
from regard.families import generic
from regard.families.recipe import ModelPlan
from regard.models import Model
from regard.text import Tokenizer
from regard.training.recipe.reading import write_recipe
from regard.training.recipe.recipe import Recipe
from regard.training.run.generation_defaults import FILE, GenerationDefaults

PIPELINES = {
    "translate": "translation",
    "next-token": "text-generation",
    "masked": "fill-mask",
    "classify": "text-classification",
    "tag": "token-classification",
    "answer": "question-answering",
    "align": "feature-extraction",
}


@dataclass(frozen=True)
class Exporter:
    """Writes a model of one run: all that does not change from one checkpoint to the next."""

    recipe: Recipe
    plan: ModelPlan
    tokens: Mapping[str, int]
    files: Sequence[Path]
    labels: Sequence[str] = ()

    def write(self, model: Model, folder: Path, *, step: int, scores: Mapping[str, object], note: str = "") -> None:
        """Put a model into an empty folder."""
        entries = dict(self.plan.config_entries) | dict(self.tokens)
        if self.labels:
            entries["id2label"] = {str(number): label for number, label in enumerate(self.labels)}
            entries["label2id"] = {label: number for number, label in enumerate(self.labels)}
        model_files(model, entries, self.plan.architecture, str(folder)).write(folder, self.files)
        if self.recipe.train.objective in ("translate", "next-token"):
            text = json.dumps(self.generation_config(), indent=2) + "\n"
            (folder / FILE).write_text(text, encoding="utf-8")
        (folder / "README.md").write_text(self.card(model, step, scores, note), encoding="utf-8")

    def generation_config(self) -> dict[str, object]:
        """How the model wants to write."""
        defaults = GenerationDefaults.of(self.recipe)
        entries: dict[str, object] = dict(defaults.inherited) | dict(self.tokens)
        if self.recipe.train.objective == "translate":
            entries |= {"num_beams": defaults.beam, "length_penalty": defaults.length_penalty}
            entries |= {"max_length": defaults.max_length}
            if "pad_token_id" in self.tokens:
                entries.setdefault("bad_words_ids", [[self.tokens["pad_token_id"]]])
        return entries

    def card(self, model: Model, step: int, scores: Mapping[str, object], note: str) -> str:
        """The model card: what it is, what it was trained on, what it reached, and how to make it again."""
        recipe = self.recipe
        name = Path(recipe.run).name
        count = sum(weight.numel() for weight in model.parameters())
        files = ", ".join(f"`{Path(file).name}`" for file in recipe.data.train)
        if recipe.data.make.kind:
            files = f"texts that the recipe makes itself (`{recipe.data.make.kind}`)"
        reached = "\n".join(f"| {key} | {value:.4f} |" for key, value in scores.items() if isinstance(value, float))
        table = f"\nOn the valid set:\n\n| score | value |\n|---|---:|\n{reached}\n" if reached else ""
        return CARD.format(
            pipeline=PIPELINES[recipe.train.objective],
            name=name,
            architecture=self.plan.architecture,
            count=f"{count:,}",
            files=files,
            step=step,
            what=f" {note}" if note else "",
            table=table,
            recipe=write_recipe(recipe),
            library="regard" if self.is_ours else "transformers",
            others="" if self.is_ours else ", and so does `transformers`",
        )

    @property
    def is_ours(self) -> bool:
        """Whether the model's layout is known here alone."""
        return self.plan.config_entries.get("model_type") == generic.KIND


CARD = """---
library_name: {library}
pipeline_tag: {pipeline}
tags: [regard]
---
# {name}

A {architecture} with {count} parameters, trained with `regard` on {files} for {step} steps.{what}
{table}
`regard.load("this folder")` loads it{others}. No licence is implied: that of the text it was
trained on has to be said by whoever publishes it.

The recipe, everything said:

```toml
{recipe}```
"""


def token_ids(tokenizer: Tokenizer, start: int | None) -> dict[str, int]:
    """The numbers of special tokens, as config.json calls them."""
    kinds = ("bos", "eos", "pad")
    numbers = {f"{kind}_token_id": getattr(tokenizer.specials, kind) for kind in kinds} | {
        "decoder_start_token_id": start
    }
    return {key: number for key, number in numbers.items() if number is not None}
