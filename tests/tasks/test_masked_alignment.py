"""A masked aligner that a recipe trained aligns words by the command, alone as among others."""

import json
import random

import numpy as np
import pytest
from click.testing import CliRunner

from regard.cli.main import regard as command
from regard.errors import RegardError
from regard.looking.align import pharaoh
from regard.tasks.align import load_aligner
from regard.tasks.masked_alignment import MaskedWordAligner
from regard.tasks.processors.processor import TextTooLong

ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight")
GERMAN = dict(zip(ENGLISH, ("eins", "zwei", "drei", "vier", "sechs", "acht", "neun", "zehn"), strict=True))
RECIPE = """
run = "run"
[data]
train = ["pairs.tsv"]
valid_share = 0.05
[tokenizer]
kind = "words"
size = 0
[model]
kind = "masked-aligner"
width = 32
feed_forward_width = 64
layers = [1, 2]
heads = 2
dropout = 0.0
max_positions = 16
[train]
objective = "align"
steps = 250
batch_tokens = 512
optimiser = "adam"
learning_rate = 5e-3
warmup = 30
schedule = "linear"
save_every = 250
"""


def sentence(draw: random.Random) -> tuple[str, str]:
    """Words in any order, and their translations the other way round."""
    words = draw.sample(ENGLISH, draw.randint(3, 6))
    return " ".join(words), " ".join(GERMAN[word] for word in reversed(words))


def run(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, draw = tmp_path_factory.mktemp("aligner"), random.Random(1)
    rows = [sentence(draw) for _ in range(600)]
    (folder / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in rows))
    (folder / "recipe.toml").write_text(RECIPE)
    ran = run("train", folder / "recipe.toml")
    assert ran.exit_code == 0, ran.output
    return folder


@pytest.fixture(scope="module")
def aligner(folder):
    aligner = load_aligner(folder / "run" / "model")
    assert isinstance(aligner, MaskedWordAligner)
    return aligner


def test_words_that_translate_each_other_are_linked(aligner):
    draw = random.Random(2)
    pairs = [sentence(draw) for _ in range(50)]
    right = found = there = 0
    for (source, _), links in zip(pairs, aligner(pairs), strict=True):
        last = len(source.split()) - 1
        truth = {(at, last - at) for at in range(last + 1)}
        right, found, there = right + len(truth & links), found + len(links), there + len(truth)
    assert 2 * right / (found + there) > 0.9


def test_a_pair_has_the_same_links_alone_and_among_others(aligner):
    draw = random.Random(3)
    pairs = [sentence(draw) for _ in range(9)]
    assert aligner(pairs) == [aligner([pair])[0] for pair in pairs]
    encoded = [aligner.read(*pair, 1) for pair in pairs]
    for together, pair in zip(aligner.agreement(encoded), encoded, strict=True):
        np.testing.assert_allclose(together, aligner.agreement([pair])[0], atol=1e-5)


def test_a_text_without_words_has_no_links(aligner):
    assert aligner([("", "eins zwei"), ("one", ""), ("one two", "zwei eins")])[:2] == [frozenset(), frozenset()]


def test_a_text_that_is_too_long_is_refused_by_its_number(aligner):
    with pytest.raises(TextTooLong, match="pair 2: its target has"):
        aligner([("one", "eins"), ("one", "eins " * 40)])


def test_the_command_prints_what_the_aligner_says(folder, aligner):
    draw = random.Random(4)
    pairs = [sentence(draw) for _ in range(5)]
    (folder / "test.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
    ran = run("align", folder / "test.tsv", "-m", folder / "run" / "model")
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.split("\n")[:-1] == [pharaoh(links) for links in aligner(pairs)]
    gold = "".join(f"{pharaoh(links)}\n" for links in aligner(pairs))
    (folder / "gold").write_text(gold)
    scored = run("align", folder / "test.tsv", "-m", folder / "run" / "model", "--gold", folder / "gold", "--json")
    assert json.loads(scored.stdout)["scores"]["aer"] == 0.0


@pytest.mark.parametrize("options", [["--reverse", "en-de"], ["--heads", "0 decoder.0.cross"], ["--language", "de"]])
def test_what_a_translator_may_be_told_is_refused(folder, options):
    ran = run("align", folder / "pairs.tsv", "-m", folder / "run" / "model", *options)
    assert ran.exit_code != 0
    assert isinstance(ran.exception, RegardError | SystemExit)
    assert "no " in f"{ran.exception}{ran.output}"


def test_heads_are_not_chosen_on_gold(folder):
    ran = run("align", folder / "test.tsv", "-m", folder / "run" / "model", "--gold", folder / "gold", "--choose", 2)
    assert ran.exit_code != 0
