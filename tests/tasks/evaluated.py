"""Models that learned for a second, and texts to measure them by."""

import random
from pathlib import Path

from training.tiny import RECIPE, WORDS
from training.watching import Quiet

from regard.training import read_recipe, train

LINES = 24
WRITES = ["tokenizer.kind=bpe-marked", "train.metric=bleu", "train.beam=3"]
CHANGES = {
    "translate": [*WRITES, "train.steps=60", "model.width=32", "train.label_smoothing=0.0"],
    "one-stream": [*WRITES, "model.kind=decoder"],
    "generate": ["train.objective=next-token", "model.kind=decoder", "tokenizer.kind=characters", "data.context=16"],
    "fill": ["train.objective=masked", "model.kind=encoder", "data.context=16"],
    "classify": ["train.objective=classify", "model.kind=encoder", "train.metric=accuracy"],
}


def marked(text: str) -> str:
    """Long words in two parts."""
    return " ".join(f"{word[:2]}@@ {word[2:]}" if len(word) > 3 else word for word in text.split())


def write_texts(folder: Path) -> None:
    """Pairs, each the other in capitals and cut; the same as two files; plain text; labels."""
    chance = random.Random(5)
    for name, count in (("train", 400), ("test", LINES)):
        lines = [" ".join(chance.choices(WORDS, k=chance.randint(1, 11))) for _ in range(count)]
        pairs = [(marked(line), marked(line.upper())) for line in lines]
        (folder / f"{name}.en").write_text("".join(f"{source}\n" for source, _ in pairs))
        (folder / f"{name}.de").write_text("".join(f"{target}\n" for _, target in pairs))
        (folder / f"{name}.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
        labels = ["animal" if {"cat", "dog", "bird"} & set(line.split()) else "thing" for line in lines]
        labelled = [f"{line}\t{label}\n" for line, label in zip(lines, labels, strict=True)]
        (folder / f"{name}.labels").write_text("".join(labelled))


ENDINGS = {"generate": "txt", "fill": "txt", "classify": "labels"}


def learned(folder: Path, what: str, *more: str) -> Path:
    """The folder of a finished model."""
    end = ENDINGS.get(what, "tsv")
    (folder / "recipe.toml").write_text(RECIPE)
    changes = [f"run={folder / what}", f"data.train={folder / f'train.{end}'}", f"data.valid={folder / f'test.{end}'}"]
    common = ["train.batch_tokens=512", "model.dropout=0.0", "train.evaluate_every=1000", "train.save_every=1000"]
    return train(read_recipe(folder / "recipe.toml", [*changes, *common, *CHANGES[what], *more]), reporting=Quiet())
