"""The first and the last step of every task take no torch, and are the same with it."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import regard
from regard.tasks import TASKS

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def answers():
    ran = subprocess.run([sys.executable, HERE / "without_torch.py"], capture_output=True)
    assert ran.returncode == 0, ran.stderr.decode()
    return pickle.loads(ran.stdout)


def test_every_task_reads_and_answers_without_torch(answers):
    assert answers.keys() == TASKS.keys()


def test_a_translation_is_put_together_and_aligned(answers):
    _, translation = answers["translate"]
    assert translation.text == "Der Hund schläft. WO IST DIE KATZE?"
    assert translation.score == translation.rank_score * len(translation.ids) / 2
    assert translation.is_finished
    assert translation.alignment.weights.shape == (len(translation.ids), len(translation.source_tokens))
    assert (0, 0) in translation.alignment.words


def test_other_answers_say_what_the_numbers_say(answers):
    assert answers["generate"][1].text == "\nO, speak"
    assert (answers["answer"][1].text, answers["answer"][1].hops.reads[:2]) == ("gray", (1, 2))
    assert answers["fill"][1].text == "the cat sleeps"
    assert [candidate.score for candidate in answers["fill"][1].candidates[0]] == [0.75, 0.25]
    assert answers["classify"][1].scores == {"bad": 0.25, "good": 0.75}
    assert answers["classify"][1].label == "good"
    assert answers["embed"][1].vector.tolist() == [0, 1, 2, 3]
    assert answers["embed"][1].tokens == ("[CLS]", "the", "dog", "[SEP]", "the", "cat", "[SEP]")


def test_what_is_read_is_what_a_task_reads(answers):
    assert answers["translate"][0] == regard.load("en-de").read("The dog sleeps. WHERE IS THE CAT?")
    assert answers["generate"][0] == regard.load("shakespeare").read("ROMEO:")
    ours, theirs = (
        answers["answer"][0],
        regard.load("babi").read("Brian is a frog. Lily is gray.", "What color is Lily?"),
    )
    assert ours.story_ids.tolist() == theirs.story_ids.tolist()
    assert ours.question_ids.tolist() == theirs.question_ids.tolist()
