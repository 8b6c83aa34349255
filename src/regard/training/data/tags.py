"""Texts whose words have tags, as an encoder learns from them."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from regard.families.recipe import DataSizes
from regard.text import ColumnTexts, DataError, Tokenizer
from regard.text.tagged import NO_TAG, TaggedCorpus
from regard.training.data.samplers import BucketSampler
from regard.training.data.training_data import Say, TrainingData, one_file, split_valid, usable_rows
from regard.training.data.vocabulary import tokenizer_of
from regard.training.objectives import Row, TagObjective
from regard.training.recipe.recipe import Recipe


def tag_data(recipe: Recipe, home: Path, say: Say) -> TrainingData:
    """text<TAB>tags, a tag for every word."""
    corpus = TaggedCorpus(one_file(recipe.data.train, "train"))
    tokenizer = tokenizer_of(recipe, home, ColumnTexts(corpus, ("text",)), frame="sentence")
    tags = corpus.tags()
    if not tags:
        raise DataError(f"{corpus.path}: no word has a tag")
    numbers = {tag: number for number, tag in enumerate(tags)}

    def encoded(corpus: TaggedCorpus, what: str) -> list[Row]:
        rows = [
            tagged_row(text, line_tags.split(), tokenizer, numbers, corpus.location(number))
            for number, (text, line_tags) in enumerate(corpus)
        ]
        lengths = np.array([[len(row[0])] for row in rows]).reshape(-1, 1)
        return [rows[number] for number in usable_rows(lengths, recipe.data, corpus, say, what)]

    rows = encoded(corpus, "training")
    training, held_out = split_valid(np.arange(len(rows)), recipe.data)
    valid = [rows[number] for number in held_out]
    if recipe.data.valid:
        valid = encoded(TaggedCorpus(one_file(recipe.data.valid, "valid")), "valid")
    examples = [rows[number] for number in training]
    lengths = np.array([[len(row[0])] for row in examples]).reshape(-1, 1)
    return TrainingData(
        tokenizer,
        TagObjective(pad=tokenizer.specials.pad or 0),
        DataSizes(len(tokenizer), labels=len(tags), labels_tokens=True),
        examples,
        BucketSampler(lengths, recipe.train),
        valid,
        labels=tags,
    )


def tagged_row(text: str, tags: list[str], tokenizer: Tokenizer, numbers: Mapping[str, int], where: str) -> Row:
    """A text as tokens, the positions of words that have a tag, and the tags as numbers."""
    encoded = tokenizer.encode(text)
    begins: dict[int, int] = {}  # the first token at each place of the text
    for position, (offset, source) in enumerate(zip(encoded.offsets, encoded.texts, strict=True)):
        if source is not None:
            begins.setdefault(offset[0], position)
    positions, answers, place = [], [], 0
    for word, tag in zip(text.split(), tags, strict=True):
        place = text.index(word, place)
        if tag != NO_TAG:
            if tag not in numbers:
                raise DataError(f"{where}: {tag!r} is none of {', '.join(numbers)}")
            if place not in begins:
                raise DataError(f"{where}: no token begins where {word!r} does")
            positions.append(begins[place])
            answers.append(numbers[tag])
        place += len(word)
    return np.array(encoded.ids), np.array(positions, dtype=np.int64), np.array(answers, dtype=np.int64)
