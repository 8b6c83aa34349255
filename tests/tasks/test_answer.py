"""From a file of stories to answers, and to what the hops read: trained here, in a second or two.

Also tests: cli/answer.py, tasks/evaluation/answerers.py, tasks/processors/answer.py, text/story_rows.py,
training/data/questions.py.
"""

import json
import random

import pytest
import torch
from click.testing import CliRunner
from shared import shared
from torch.testing import assert_close

import regard
from regard.checkpoints import CheckpointError, load_model
from regard.cli.main import regard as command
from regard.errors import RegardError, UnknownName
from regard.tasks import AnswerTask
from regard.tasks.evaluation import corpus_for, evaluate
from regard.text import Stories
from regard.training import read_recipe, train

WHO, WHERE = ("Mary", "John", "Ann"), ("kitchen", "garden", "office", "cellar")
RECIPE = """
run = "run"
[data]
train = ["stories.txt"]
valid_share = 0.1
[tokenizer]
kind = "unmarked"
size = 0
lowercase = true
[model]
kind = "memory"
width = 16
layers = 2
heads = 1
max_positions = 10
[train]
objective = "answer"
steps = 160
batch_size = 16
learning_rate = 0.02
warmup = 1
schedule = "linear"
linear_epochs = 2
noise = 0.1
clip_norm = 5.0
save_every = 80
metric = "accuracy"
"""


def told(chance: random.Random, stories: int) -> str:
    """Everybody goes somewhere; somebody is asked for."""
    lines = []
    for _ in range(stories):
        who, where = chance.sample(WHO, 3), chance.choices(WHERE, k=3)
        lines += [f"{n} {one} went to the {place}." for n, (one, place) in enumerate(zip(who, where, strict=True), 1)]
        asked = chance.randrange(3)
        lines.append(f"4 Where is {who[asked]}?\t{where[asked]}\t{asked + 1}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answer")
    chance = random.Random(1)
    (folder / "stories.txt").write_text(told(chance, 400))
    (folder / "test.txt").write_text(told(chance, 50))
    (folder / "recipe.toml").write_text(RECIPE)
    train(read_recipe(folder / "recipe.toml"))
    return folder


@pytest.fixture(scope="module")
def answer(home):
    return regard.load(home / "run" / "model")


def test_a_trained_folder_answers_and_says_what_it_read(answer):
    assert isinstance(answer, AnswerTask)
    found = answer("John went to the garden. Mary went to the office. Ann went to the cellar.", "Where is Mary?")
    assert found.text == "office"
    assert found.score > 0.5
    assert found.story[1] == "Mary went to the office."
    assert 1 in found.hops.reads
    assert_close(torch.from_numpy(found.hops.weights).sum(-1), torch.ones(2))


def test_evaluation_counts_what_was_answered_rightly(answer, home):
    questions = list(Stories(home / "test.txt"))
    right = sum(answer(one.story, one.question).text == one.answer for one in questions)
    found = evaluate(answer, corpus_for(answer, [str(home / "test.txt")]))
    assert found.scores["accuracy"] == right / 50
    assert found.scores["accuracy"] > 0.9
    assert found.tables["file"]["test.txt"] == {"questions": 50, "accuracy": right / 50}


def test_company_changes_no_answer(answer):
    story = ["Mary went to the office.", "John went to the garden."]
    long = [*story, *["Ann went to the cellar."] * 6]
    together = answer.all([(story, "Where is John?"), (long, "Where is Mary?"), (story, "Where is Mary?")])
    for found in together:
        alone = answer(found.story, found.question)
        assert alone.text == found.text
        assert_close(alone.hops.weights, found.hops.weights)
        assert_close(alone.score, found.score)


def test_several_questions_are_answered_in_their_order(answer):
    questions = ["Where is John?", "Where is Mary?"]
    found = answer(["Mary went to the office.", "John went to the garden."], questions)
    assert [one.question for one in found] == questions
    assert [one.text for one in found] == ["garden", "office"]


def test_only_the_last_sentences_are_remembered(answer):
    found = answer([f"John went to the {WHERE[number % 4]}." for number in range(13)], "Where is John?")
    assert len(found.story) == 10
    assert found.hops.weights.shape == (2, 11)  # and nothing
    assert found.hops.sentences == (*found.story, "(nothing)")


def test_watching_and_editing_reach_the_hops(answer):
    story = ["Mary went to the office.", "John went to the garden."]
    with regard.watch(answer.model) as seen:
        found = answer(story, "Where is Mary?")
    assert list(seen) == ["hop.0", "hop.1"]
    assert_close(seen["hop.1"].weights()[0, 0, 0], torch.from_numpy(found.hops.weights[1]))
    with regard.edit(answer.model) as edit:
        edit.hide(source=[0])
        assert answer(story, "Where is Mary?").hops.weights[:, 0].tolist() == [0.0, 0.0]


def test_words_that_were_never_learned_are_named(answer):
    assert answer("Zoe went to the office.", "Where is Zoe, Mary?").unknown == ("Zoe",)


@pytest.mark.parametrize(
    ("story", "question", "told"), [("", "Where?", "no story"), ("Mary went.", " ", "no question")]
)
def test_nothing_is_one_clear_line(answer, story, question, told):
    with pytest.raises(RegardError, match=told):
        answer(story, question)


def test_the_folder_holds_what_was_saved(answer, home):
    again = load_model(home / "run" / "model").model
    assert again.config == answer.model.config
    assert all(map(torch.equal, again.parameters(), answer.model.parameters()))
    described = json.loads((home / "run" / "model" / "config.json").read_text())
    assert (described["model_type"], described["kind"]) == ("regard", "memory")


def test_a_memory_network_does_nothing_else(home):
    with pytest.raises(CheckpointError, match="MemoryNetwork cannot translate; it can answer"):
        regard.load(home / "run" / "model", task="translate")


def run(*arguments, story="Mary went to the office. John went to the garden.\n"):
    return CliRunner().invoke(command, ["answer", *map(str, arguments)], input=story)


def test_the_command_shows_the_hops(home, tmp_path):
    light = regard.load(home / "run" / "model")  # as the command has it: nobody asked for its model
    expected = light("Mary went to the office. John went to the garden.", "Where is Mary?")
    model = ("-m", home / "run" / "model", "-q", "Where is Mary?")
    lines = run(*model).output.split("\n")
    assert lines[0] == f"office\t{expected.score:.4f}"
    sentence = expected.hops.reads[0]
    assert lines[1] == f"hop 1\t{expected.hops.weights[0, sentence]:.4f}\t{expected.hops.sentences[sentence]}"
    drawn = run(*model, "--show", "--save", tmp_path / "hops.svg").output
    assert expected.hops.draw() in drawn
    assert (tmp_path / "hops.svg").read_text() == expected.hops.svg("Where is Mary? office")
    for ending, start in ((".png", b"\x89PNG"), (".html", b"<!doctype html>"), (".txt", b" ")):
        run(*model, "--save", (tmp_path / "hops").with_suffix(ending))
        assert (tmp_path / "hops").with_suffix(ending).read_bytes().lower().startswith(start.lower())
    (tmp_path / "story.txt").write_text("Mary went to the office.\nJohn went to the garden.\n")
    found = json.loads(run(tmp_path / "story.txt", *model, "--json", story="").output)
    assert found["text"] == "office"
    assert found["hops"][1]["weights"] == pytest.approx(expected.hops.weights[1].tolist())


def test_what_the_command_cannot_read_is_one_line(home, tmp_path):
    model = ("-m", home / "run" / "model", "-q", "Where is Mary?")
    (tmp_path / "latin.txt").write_bytes(b"Mary \xe4")
    with pytest.raises(RegardError, match=r"latin\.txt:1: not UTF-8"):
        CliRunner().invoke(command, ["answer", str(tmp_path / "latin.txt"), *map(str, model)], catch_exceptions=False)
    with pytest.raises(
        UnknownName, match=r"unknown ending of a picture's name '.gif': .*known: .html, .png, .svg, .txt"
    ):
        CliRunner().invoke(command, ["answer", *map(str, model), "--save", "hops.gif"], input="Mary is in the office.",
                           catch_exceptions=False)  # fmt: skip
    assert run(*model, "-q", "Where is John?", "--save", "hops.png").exit_code == 2


# ---- the built-in model

FROGS = "Brian is a frog. Lily is gray. Brian is yellow. Julius is green. Greg is a frog."


@pytest.fixture(scope="module")
def babi():
    return regard.load("babi")


def test_the_built_in_model_reasons_about_frogs(babi):
    found = babi(FROGS, "What color is Greg?")
    assert found.text == "yellow"
    assert [found.story[sentence] for sentence in found.hops.reads] == [
        "Greg is a frog.",
        "Brian is a frog.",
        "Brian is yellow.",
    ]


def test_fifty_other_such_stories_are_answered_rightly(babi):
    chance = random.Random(5)
    names, kinds = ["Lily", "Bernhard", "Brian", "Julius", "Greg"], ["frog", "lion", "swan", "rhino"]
    colours, right = ["green", "white", "gray", "yellow"], 0
    for _ in range(50):
        asked, like, *others = chance.sample(names, 4)
        kind, colour = chance.choice(kinds), chance.choice(colours)
        story = [f"{asked} is a {kind}.", f"{like} is a {kind}.", f"{like} is {colour}."]
        story += [f"{other} is {chance.choice(colours)}." for other in others]
        chance.shuffle(story)
        right += babi(story, f"What color is {asked}?").text == colour
    assert right >= 45


def test_the_built_in_model_scores_what_its_card_says(babi):
    archive = shared("babi/babi-en-1k.tar.xz")
    found = evaluate(babi, Stories.at(archive / "*qa16_*_test.txt"))
    rows = (babi.checkpoint.folder / "README.md").read_text(encoding="utf-8").split("\n")
    (row,) = [row for row in rows if row.startswith("| 16 |")]
    assert 100 - 100 * found.scores["accuracy"] == pytest.approx(float(row.split("|")[2]), abs=0.2)
