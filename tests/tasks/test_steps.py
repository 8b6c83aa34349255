"""Every task is three steps: what they compose to is what a call gives, and what they hand on needs no torch."""

import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
import torch
from tasks.tiny import bert, gpt2

import regard
from regard.decoding import DecodeProgress
from regard.tasks.replay import replay

TEXT = "Where is the station? A dog sleeps."
STORY = "Brian is a frog. Lily is gray. Lily is a frog."


class Stopped(Exception):
    """Nobody waits any more."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("steps")
    for name, kind in {"fill": "MaskedLM", "classify": "SequenceClassification", "tag": "TokenClassification"}.items():
        bert(f"For{kind}", folder / name)
    bert("Model", folder / "embed")
    gpt2(folder / "one-stream")
    (folder / "one-stream" / "generation_config.json").write_text('{"decoder_start_token_id": 5, "eos_token_id": 256}')
    return folder


def tensors_in(value) -> bool:
    """Whether a result holds a tensor anywhere; what it works out later is none of it."""
    if isinstance(value, dict):
        return any(map(tensors_in, value.values()))
    if isinstance(value, list | tuple):
        return any(map(tensors_in, value))
    if is_dataclass(value):
        return any(tensors_in(getattr(value, part.name)) for part in fields(value) if part.name != "align")
    return isinstance(value, torch.Tensor)


def assert_plain(result) -> None:
    """No tensor in it, and a copy through pickle says the same."""
    assert not tensors_in(result)
    copy = pickle.loads(pickle.dumps(result))
    for part in fields(result):
        if part.name not in ("align", "hops", "vector", "parts"):
            assert getattr(copy, part.name) == getattr(result, part.name)
    for name in ("words", "confidence"):  # worked out before a result is pickled
        assert getattr(copy, name, None) == getattr(result, name, None)


@pytest.mark.parametrize("name", ["en-de", "one-stream"])
def test_translate(home, name):
    task = regard.load(name if name == "en-de" else home / name, task="translate")
    source = task.read(TEXT)
    config = task.generation_config(beam=2, num_hypotheses=2, max_new_tokens=9)
    (written,) = task.write([source], config, tree=True)
    answer, expected = task.answer(source, written), task(TEXT, beam=2, num_hypotheses=2, max_new_tokens=9)
    assert answer == expected
    assert [result.tree is not None for result in written.results] == [True] * len(source.sentences)
    assert_plain(answer)
    copy = pickle.loads(pickle.dumps(answer))
    assert np.array_equal(copy.alignment.weights, expected.alignment.weights)
    assert copy.alignment.words == expected.alignment.words
    assert_plain(copy)


def test_an_alignment_is_read_off_a_pass_that_was_watched(home):
    for name in ("en-de", home / "one-stream"):
        task = regard.load(name, task="translate")
        source = task.read("Where is the station?")
        (written,) = task.write([source], task.generation_config(max_new_tokens=8))
        (reading,) = task.readings(source, written)
        with regard.watch(task.model) as seen, torch.no_grad():
            replay(task.model, [reading], task.device)
        weights = task.answer(source, written, [seen]).alignment.weights
        np.testing.assert_allclose(weights, task.answer(source, written).alignment.weights, atol=1e-6)
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)


def test_generate():
    task = regard.load("shakespeare")
    prompt = task.read("ROMEO: what")
    (result,) = task.write([prompt], task.generation_config(beam=3, sample=False, max_new_tokens=6))
    assert task.answer(prompt, result) == task("ROMEO: what", beam=3, sample=False, max_new_tokens=6)
    assert_plain(task.answer(prompt, result))
    reading = task.reading(prompt, result, is_whole=True)
    assert tuple(reading.target) == (*prompt.encoded.ids, *result.best.ids)


@pytest.mark.parametrize("name", ["fill", "classify", "tag", "embed"])
def test_tasks_that_read_once(home, name):
    task = regard.load(home / name)
    texts = ["the [MASK] sleeps .", "a dog runs over the [MASK] table"]
    inputs = [task.read(text) for text in texts]
    answers = [task.answer(*pair) for pair in zip(inputs, task.run(inputs), strict=True)]
    for answer, expected in zip(answers, task(texts), strict=True):
        assert_plain(answer)
        if name == "embed":
            assert np.array_equal(answer.vector, expected.vector)
        else:
            assert answer == expected


def test_answer():
    task = regard.load("babi")
    question = task.read(STORY, "What color is Brian?")
    (result,) = task.run([question])
    assert result.probabilities.sum() == pytest.approx(1, abs=1e-4)
    answer = task.answer(question, result)
    assert answer == task(STORY, "What color is Brian?")
    assert_plain(answer)


@pytest.mark.parametrize("options", [{}, {"sample": True, "seed": 3}])
def test_every_step_is_told_with_the_tokens_so_far(options):
    task = regard.load("shakespeare")
    prompt, steps = task.read("ROMEO: what"), []

    def on_step(step: DecodeProgress) -> None:
        steps.append(([list(ids) for ids in step.ids], step.fraction))

    (result,) = task.write([prompt], task.generation_config(max_new_tokens=5, **options), on_step=on_step)
    assert [ids for (ids,), _ in steps] == [list(result.best.ids[: count + 1]) for count in range(5)]
    assert [fraction for _, fraction in steps] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])


@pytest.mark.parametrize("beam", [1, 3])
def test_what_a_step_raises_ends_the_writing(beam):
    task = regard.load("en-de")
    source, fractions = task.read("Where is the station?"), []

    def on_step(step: DecodeProgress) -> None:
        fractions.append(step.fraction)
        assert bool(step.ids) == (beam == 1)
        if len(fractions) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        task.write([source], task.generation_config(beam=beam), on_step=on_step)
    assert len(fractions) == 2
