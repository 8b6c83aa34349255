"""A training of a second or two: made-up languages that a small model learns at once."""

import random
from pathlib import Path

from regard.training import Recipe, read_recipe

WORDS = ["the", "cat", "dog", "bird", "sees", "hears", "a", "big", "small", "old", "red", "house", "tree"]

RECIPE = """
run = "run"
[data]
train = ["train.tsv"]
valid = ["valid.tsv"]
[tokenizer]
kind = "words"
size = 0
[model]
width = 16
heads = 2
layers = 1
feed_forward_width = 32
dropout = 0.2
[train]
steps = 12
batch_tokens = 64
learning_rate = 0.01
warmup = 4
label_smoothing = 0.1
save_every = 3
log_every = 2
evaluate_every = 4
"""


def write_pairs(folder: Path, train: int = 60, valid: int = 8) -> None:
    """Sentences, and the same backwards in upper case."""
    chance = random.Random(3)
    for name, count in (("train", train), ("valid", valid)):
        lines = [" ".join(chance.choices(WORDS, k=chance.randint(1, 7))) for _ in range(count)]
        pairs = [f"{line}\t{' '.join(reversed(line.upper().split()))}\n" for line in lines]
        (folder / f"{name}.tsv").write_text("".join(pairs))


def write_recipe_file(folder: Path, text: str = RECIPE) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def tiny(folder: Path, *changes: str) -> Recipe:
    """The recipe above, its data written beside it."""
    write_pairs(folder)
    return read_recipe(write_recipe_file(folder), changes)
