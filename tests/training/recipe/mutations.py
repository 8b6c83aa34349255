"""Recipes that somebody spoiled: keys, values, kinds and sizes changed at random, and hostile TOML."""

import json
import random

from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS
from regard.families.recipe import PartRecipe
from regard.positions import POSITIONS
from regard.training.recipe.reading import flatten
from regard.training.recipe.recipe import DataRecipe, Recipe

DEFAULTS = flatten(Recipe("run", DataRecipe(())))
KEYS = sorted(key for key, value in DEFAULTS.items() if not isinstance(value, PartRecipe))

COMMON = {
    "run": '"run"',
    "tokenizer.kind": '"words"',
    "tokenizer.size": "0",
    "model.width": "8",
    "model.heads": "2",
    "model.layers": "1",
    "model.max_positions": "32",
    "train.steps": "4",
    "train.batch_tokens": "64",
}
BASES = {
    "transformer": {"data.train": '["train.tsv"]', "data.valid": '["valid.tsv"]', "train.metric": '"loss"'},
    "alignment": {"data.train": '["train.tsv"]', "model.kind": '"alignment"', "model.cell": '"gru"'},
    "decoder": {"data.train": '["text.txt"]', "model.kind": '"decoder"', "train.objective": '"next-token"'},
    "xl": {
        "data.train": '["text.txt"]',
        "data.windows": '"carried"',
        "model.kind": '"xl"',
        "model.memory_length": "8",
        "train.objective": '"next-token"',
    },
    "encoder": {
        "data.train": '["text.txt"]',
        "tokenizer.kind": '"wordpiece"',
        "tokenizer.size": "60",
        "model.kind": '"encoder"',
        "train.objective": '"masked"',
    },
    "labels": {"data.train": '["labels.tsv"]', "model.kind": '"encoder"', "train.objective": '"classify"'},
    "memory": {"data.train": '["story.txt"]', "model.kind": '"memory"', "train.objective": '"answer"'},
}

NUMBERS = ["0", "1", "-1", "2", "3", "7", "64", "1000", "100000", "1_000_000_000_000", str(2**63), str(2**64), "-0.0"]
NUMBERS += ["9" * 400, "0x" + "f" * 6000, "0.5", "1.0", "1.5", "-0.1", "1e-300", "1e300", "1e400", "nan", "-nan", "inf"]
NUMBERS += ["-inf"]
TEXTS = [
    "",
    "x",
    "first",
    "mean",
    "loss",
    "bleu",
    "accuracy",
    "cosine",
    "adamw",
    "bfloat16",
    "lstm",
    "random",
    "carried",
]
TEXTS += [
    "gelu",
    "t5",
    "gpt2",
    "llama",
    "esm",
    "unigram",
    "bpe",
    "characters",
    "../..",
    "/",
    "/nowhere/x.json",
    "~none/x",
]
TEXTS += ["a\0b", "a\nb", "\x1b[31m", "ä" * 300, "y" * 5000, "\x7f", "💥", "train.tsv", ".", "valid.tsv", "encoder"]
ODD = ["true", "false", "1979-05-27", "07:32:00", "[]", "[[]]", "{}", "{a = 1}", '{kind = "dot"}', "[1, 2, 3]", "[0.9]"]
ODD += ["[0.9, 1.0]", '["train.tsv", 3]', "[" * 40 + "]" * 40, "[" * 3000 + "]" * 3000, "{a = " * 30 + "1" + "}" * 30]
ODD += ["", "=", "[", '"', "'''", "\\"]
SETTINGS = [
    "base",
    "buckets",
    "reach",
    "length",
    "offset",
    "before",
    "after",
    "rounds",
    "chunk",
    "slots",
    "cap",
    "scale",
]
SETTINGS += ["feature", "positions", "seed", "scaling", "layout", "width", "heads", "key_width", "score_width", "steps"]
PARTS = {"position": [*POSITIONS], "score": [*SCORES, "general", "concat"], "attention": [*ATTENTION_METHODS, "full"]}


def hostile_value(chance: random.Random) -> str:
    """TOML, or nearly."""
    return chance.choice(
        [
            chance.choice(NUMBERS),
            chance.choice(NUMBERS),
            json.dumps(chance.choice(TEXTS)),
            chance.choice(ODD),
            str(chance.randint(-5, 200)),
            repr(chance.uniform(-2, 2)),
        ]
    )


def likely_value(key: str, chance: random.Random) -> str:
    """A value of the right type, if not of the right size."""
    usual = DEFAULTS[key]
    if isinstance(usual, bool):
        return chance.choice(["true", "false"])
    if isinstance(usual, int):
        return chance.choice(["0", "1", "2", "3", "4", "5", "8", "12", "16", "31", "100", "1000", "-1", "1000000"])
    if isinstance(usual, float):
        return chance.choice(
            ["0", "0.0", "0.1", "0.3", "0.5", "0.9", "0.999", "1.0", "1e-8", "1e-30", "1e30", "-1.0", "40.0"]
        )
    if isinstance(usual, str):
        return json.dumps(chance.choice([usual, *TEXTS[:24]]))
    return {"model.layers": "2", "train.betas": "[0.5, 0.0]", "train.frozen": '["encoder.0"]'}.get(key, '["text.txt"]')


def set_key(values: dict[str, str], chance: random.Random) -> None:
    key = chance.choice(KEYS)
    values[key] = likely_value(key, chance)


def spoil_key(values: dict[str, str], chance: random.Random) -> None:
    values[chance.choice(KEYS)] = hostile_value(chance)


def drop_key(values: dict[str, str], chance: random.Random) -> None:
    del values[chance.choice([*values])]


def rename_key(values: dict[str, str], chance: random.Random) -> None:
    key = chance.choice([*values])
    other = chance.choice(
        [key + "s", key[:-1], key.upper(), "model." + key, "train.steps.x", '"a\\nb"', "x." * 12 + "y"]
    )
    values[other] = values.pop(key)


def add_part(values: dict[str, str], chance: random.Random) -> None:
    place = chance.choice([*PARTS])
    values[f"model.{place}.kind"] = json.dumps(chance.choice(PARTS[place]))
    for _ in range(chance.choice([0, 0, 1, 2])):
        value = (
            hostile_value(chance) if chance.random() < 0.3 else chance.choice(["0", "1", "2", "4", "8", "0.5", "10.0"])
        )
        values[f"model.{place}.{chance.choice(SETTINGS)}"] = value


EDITS = {set_key: 60, spoil_key: 10, drop_key: 6, rename_key: 4, add_part: 20}


def spoiled_recipe(seed: int) -> tuple[str, list[str]]:
    """The text of a recipe, and changes to it as after --set."""
    chance = random.Random(seed)
    values = COMMON | chance.choice([*BASES.values()])
    for _ in range(chance.randint(1, 3)):
        chance.choices([*EDITS], [*EDITS.values()])[0](values, chance)
    text = "".join(f"{key} = {value}\n" for key, value in values.items())
    if chance.random() < 0.05:
        text = spoiled_text(text, chance)
    changes = [change(chance) for _ in range(chance.choice([0] * 9 + [1, 2]))]
    return text, changes


def spoiled_text(text: str, chance: random.Random) -> str:
    start = chance.randrange(len(text)) if text else 0
    end = min(len(text), start + chance.randint(0, 30))
    return (
        text[:start]
        + chance.choice(["", text[start:end] * 2, "\0", "[", "]\n[x]\n", '"""', "\ufeff", "#"])
        + text[end:]
    )


def change(chance: random.Random) -> str:
    key = chance.choice([*KEYS, "", "train", "a.b.c", "run.x", "model.position.kind", "." * 20, "data"])
    return f"{key}{chance.choice(['=', '=', '=', ' = ', '', '=='])}{hostile_value(chance)}"
