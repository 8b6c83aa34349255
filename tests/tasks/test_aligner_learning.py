"""An aligner begins with what translators know, and learns from the texts at hand.

Also tests: cli/align.py.
"""

import pytest
import torch
from click.testing import CliRunner

import regard
from regard.checkpoints import load_model
from regard.cli.main import regard as command
from regard.errors import RegardError
from regard.tasks.align import load_aligner
from regard.tasks.aligner_learning import READS, learn_aligner, save_start

PAIRS = [
    ("The dog sleeps.", "Der Hund schläft."),
    ("The cat sleeps.", "Die Katze schläft."),
    ("I see the dog.", "Ich sehe den Hund."),
    ("You see the house.", "Du siehst das Haus."),
]


@pytest.fixture(scope="module")
def translators():
    return regard.load("en-de"), regard.load("de-en")


@pytest.fixture(scope="module")
def start(translators, tmp_path_factory):
    folder = tmp_path_factory.mktemp("aligner") / "start"
    save_start(*translators, folder)
    return folder


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text("".join(f"{english}\t{german}\n" for english, german in PAIRS * 10), encoding="utf-8")
    return path


def test_each_direction_reads_as_its_translator_does(translators, start):
    model = load_model(start).model
    tokens = torch.tensor([[5, 600, 7000, 42]])
    with torch.no_grad():
        for side, translator in zip((model.there, model.back), translators, strict=True):
            torch.testing.assert_close(side.encoder(tokens), translator.model.encoder(tokens), atol=1e-6, rtol=1e-5)


def test_each_direction_has_a_table_of_its_own(start):
    model = load_model(start).model
    assert not torch.equal(model.there.embedding.table.weight, model.back.embedding.table.weight)
    assert model.back.output.weight is model.back.embedding.table.weight is model.back.encoder.embedding.table.weight


def test_what_reads_stays_and_what_guesses_learns(start, pairs, tmp_path):
    folder = learn_aligner([str(pairs)], start, tmp_path / "run", minutes=0.02, device="cpu")
    before, after = (load_model(path).model.state_dict() for path in (start, folder))
    moved = {key for key in before if not torch.equal(before[key], after[key])}
    assert {"there.nothing", "back.nothing"} < moved
    assert not [key for key in moved if key.startswith(READS)]


def test_what_does_not_translate_makes_no_aligner(pairs, tmp_path):
    arguments = ["-m", "en-de", "--reverse", "shakespeare", "--learn", str(pairs), "--run", str(tmp_path / "run")]
    answer = CliRunner().invoke(command, ["align", str(pairs), *arguments])
    assert answer.exit_code == 1
    assert not (tmp_path / "run").exists()


def test_a_translator_alone_is_not_taught(pairs, tmp_path):
    with pytest.raises(RegardError, match="an aligner is expected"):
        learn_aligner([str(pairs)], "en-de", tmp_path / "run", minutes=0.02, device="cpu")


def test_the_command_learns_then_aligns(pairs, tmp_path):
    run = tmp_path / "run"
    arguments = ["-m", "en-de", "--reverse", "de-en", "--learn", str(pairs), "--minutes", "0.05", "--run", str(run)]
    answer = CliRunner().invoke(command, ["align", str(pairs), *arguments], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    links = load_aligner(run / "model")(PAIRS)
    assert all(links)


def test_heads_are_not_chosen_of_what_has_to_learn(pairs):
    arguments = ["align", str(pairs), "-m", "en-de", "--learn", str(pairs), "--heads", "decoder.1.cross:0"]
    answer = CliRunner().invoke(command, arguments)
    assert answer.exit_code == 2
    assert "--learn makes an aligner" in answer.output
