"""Small talk in which names are taken over."""

from random import Random
from typing import get_args

from regard.text.synthetic.dialogue import COLOURS, PLACES, SYLLABLES, THINGS, TURNS, DialogueTask, name_split
from regard.text.synthetic.task import Split


def names(text):
    return {word for word in text.split() if word[:1].isupper()} - set(PLACES)


def test_an_answer_names_nothing_that_was_not_said():
    random, task = Random(1), DialogueTask()
    for _ in range(300):
        said, answer = task.draw(random, "train").split("\t")
        slots = {*names(answer), *({*PLACES, *THINGS, *COLOURS} & set(answer.split()))}
        assert slots
        assert slots <= set(said.split())


def test_no_name_of_one_split_occurs_in_another():
    random, task = Random(2), DialogueTask()
    found = {split: {name for _ in range(500) for name in names(task.draw(random, split))} for split in get_args(Split)}
    assert all(name_split(name) == split for split, some in found.items() for name in some)
    assert not found["train"] & found["test"]


def test_every_syllable_is_met_in_training_first_and_last():
    names = {first + second for first in SYLLABLES for second in SYLLABLES if name_split(first + second) == "train"}
    assert {name[:2] for name in names} == {name[2:] for name in names} == set(SYLLABLES)
    assert len(names) == 3375


def test_some_turns_have_two_names_of_which_one_is_asked_for():
    pairs = [(said, answer) for said, answer in TURNS if "{other}" in said]
    assert any("{other}" not in answer for _, answer in pairs)
    assert any("{name}" not in answer for _, answer in pairs)
