"""Memory networks that numpy answers: the numbers are those of the model of torch.

Also tests: engine/folder_weights.py, config/tying.py.
"""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from builtin.shipped import folder as builtin_folder

import regard
from regard.checkpoints import load_model, save_model
from regard.engine import Unsupported
from regard.families import generic
from regard.models import MemoryNetwork, MemoryNetworkConfig
from regard.tasks.folder_memory import FolderMemory

TINY = MemoryNetworkConfig(vocabulary=11, width=6, hops=3, memories=8, max_words=4)
NETS = {
    "plain": TINY,
    "fills the room": replace(TINY, fills=True),
    "no room left": replace(TINY, memories=5, fills=True),
    "stories longer than its times": replace(TINY, memories=3),
    "layerwise, projected": replace(TINY, tying="layerwise", projects=True),
    "knows neither order nor time": replace(TINY, hops=1, max_words=0, empty=False, memories=0),
    "copies": replace(TINY, copies=3, hops=2, pad=2),
}
WHO, WHERE = ("Mary", "John", "Sandra", "Daniel"), ("kitchen", "garden", "office", "hallway", "bathroom")


def saved(config, path):
    torch.manual_seed(1)
    model = MemoryNetwork(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(8)  # so that hops choose
    plan = generic.plan(config)
    return save_model(model, path / "model", plan.config_entries, plan.architecture)


def drawn_stories(config, *, batch=6, memories=5, words=4):
    """Stories of several lengths, padded behind, and questions."""
    chance = np.random.default_rng(3)
    known = np.array([word for word in range(config.vocabulary) if word != config.pad])
    story, question = chance.choice(known, (batch, memories, words)), chance.choice(known, (batch, 3))
    for row in range(batch):
        story[row, 1 + row % memories :] = config.pad
        story[row, :, 1 + row % words :] = config.pad
        question[row, 1 + row % 3 :] = config.pad
    return story, question


@pytest.mark.parametrize("name", NETS)
def test_numbers_are_those_of_torch(name, tmp_path):
    config = NETS[name]
    folder = saved(config, tmp_path)
    model, light = load_model(folder).model, FolderMemory.open(folder)
    story, question = drawn_stories(config)
    with torch.no_grad(), regard.watch(model) as seen:
        logits = model(torch.from_numpy(story), torch.from_numpy(question))[:, 0]
    probabilities, hops = light.answer(story, question)
    np.testing.assert_allclose(probabilities, logits.softmax(-1).numpy(), atol=1e-5)
    wanted = torch.stack([seen[f"hop.{number}"].weights()[:, 0, 0] for number in range(config.hops)], 1)
    np.testing.assert_allclose(hops, wanted.numpy(), atol=1e-5)
    assert probabilities.max() > 0.5  # which is a choice, not the same for all words


def told(chance, sentences):
    story = [f"{chance.choice(WHO)} went to the {chance.choice(WHERE)}." for _ in range(sentences)]
    return story, f"Where is {chance.choice(WHO)}?"


def test_the_built_in_one_answers_as_with_torch():
    builtin_folder("babi")
    light, heavy = regard.load("babi"), regard.load("babi")
    heavy.load_torch()
    assert heavy.model is not None
    chance = random.Random(4)
    asked = [told(chance, sentences) for sentences in (1, 2, 5, 12, 30, 49, 50, 60) for _ in range(12)]
    for one, other in zip(light.all(asked), heavy.all(asked), strict=True):
        assert (one.text, one.story, one.unknown) == (other.text, other.story, other.unknown)
        assert one.score == pytest.approx(other.score, abs=1e-5)
        np.testing.assert_allclose(one.hops.weights, other.hops.weights, atol=1e-5)


def test_a_model_that_was_asked_for_is_what_answers():
    builtin_folder("babi")
    task = regard.load("babi")
    story = ["Mary went to the office.", "John went to the garden."]
    assert task(story, "Where is Mary?").text == "office"
    with regard.edit(task.model) as edit:
        edit.hide(source=[0])
        assert task(story, "Where is Mary?").hops.weights[:, 0].tolist() == [0.0] * 3


def test_a_folder_that_does_not_fit_is_left_to_torch(tmp_path):
    folder = saved(TINY, tmp_path)
    (folder / "manifest.json").unlink(missing_ok=True)
    entries = json.loads((folder / "config.json").read_text())
    for key, value, reason in (("width", 5, "has the shape"), ("projects", True, "project, when expected")):
        changed = {**entries, "model": {**entries["model"], key: value}}
        (folder / "config.json").write_text(json.dumps(changed))
        with pytest.raises(Unsupported, match=reason):
            FolderMemory.open(folder)
    with pytest.raises(Unsupported, match="no memory network"):
        FolderMemory.open(builtin_folder("en-de"))
