"""Tags of words become tags of tokens, and a small encoder learns them."""

import numpy as np
import pytest
from training.watching import Quiet

import regard
from regard.text import DataError, train_tokenizer
from regard.training import read_recipe, train
from regard.training.data.tags import tagged_row

RECIPE = """
run = "run"
[data]
train = "tags.tsv"
valid_share = 0.1
[tokenizer]
kind = "words"
size = 0
[model]
kind = "encoder"
family = "FAMILY"
width = 16
heads = 2
layers = 1
max_positions = 16
dropout = 0.0
[train]
objective = "tag"
steps = 150
batch_size = 16
optimiser = "adamw"
learning_rate = 0.01
warmup = 10
metric = "accuracy"
save_every = 150
"""


def test_a_tag_stands_at_the_first_token_of_its_word():
    tokenizer = train_tokenizer("words", 0, ["it didn't stop"], frame="sentence")
    tokens, positions, tags = tagged_row("it didn't stop", ["A", "-", "B"], tokenizer, {"A": 0, "B": 1}, "here")
    names = [tokenizer.token(int(token)) for token in tokens]
    assert [names[position] for position in positions] == ["it", "stop"]
    assert tags.tolist() == [0, 1]


def test_a_tag_that_training_does_not_have_is_an_error():
    tokenizer = train_tokenizer("words", 0, ["it"], frame="sentence")
    with pytest.raises(DataError, match="here: 'C' is none of A"):
        tagged_row("it", ["C"], tokenizer, {"A": 0}, "here")


@pytest.mark.parametrize(("family", "architecture"), [("bert", "Bert"), ("esm", "Esm")])
def test_an_encoder_learns_tags_that_a_neighbour_tells(family, architecture, tmp_path):
    draw = np.random.default_rng(1)
    lines = []
    for _ in range(300):
        words = draw.choice(["red", "blue"], 4).tolist()
        at = int(draw.integers(1, 4))
        tags = ["-"] * 4
        tags[at] = words[at - 1].upper()
        lines.append(f"{' '.join(words)}\t{' '.join(tags)}\n")
    (tmp_path / "tags.tsv").write_text("".join(lines))
    (tmp_path / "my.toml").write_text(RECIPE.replace("FAMILY", family))
    report = Quiet()
    folder = train(read_recipe(tmp_path / "my.toml"), reporting=report)
    task = regard.load(folder)
    assert task.checkpoint.architecture == f"{architecture}ForTokenClassification"
    answer = task("blue red red red")
    assert [(token.token, token.label) for token in answer.tokens][1:3] == [("red", "BLUE"), ("red", "RED")]
