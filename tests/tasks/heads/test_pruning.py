"""A smaller folder, with the scores of both."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file
from tasks.tiny import bart

import regard
from regard.errors import RegardError, UnknownName
from regard.looking import weakest
from regard.tasks.evaluation import corpus_for, evaluate
from regard.tasks.heads import head_data, prune_task, score_heads
from regard.tasks.heads.head_data import first, held_out
from regard.tasks.heads.pruning import Tuning, tune

pytest.importorskip("sacrebleu")
WORDS = ["the", "dog", "cat", "sleeps", "runs", "over", "a", "table"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pruning")
    bart(folder / "model")
    lines = [" ".join(WORDS[(start + step) % 8] for step in range(1 + start % 4)) for start in range(30)]
    (folder / "pairs.tsv").write_text("".join(f"{one}\t{one}\n" for one in lines))
    return folder


def corpus(task, home):
    return corpus_for(task, [home / "pairs.tsv"])


@pytest.mark.parametrize("by", ["importance", "confidence"])
def test_the_folder_is_the_model_without_the_weakest_heads(by, home, tmp_path):
    task = regard.load(home / "model")
    found = prune_task(task, corpus(task, home), tmp_path / "small", keep=0.5, by=by)
    learns, measured = held_out(first(corpus(task, home)))
    again = regard.load(tmp_path / "small")
    assert found.before == evaluate(task, measured).scores
    assert found.after == evaluate(again, measured).scores
    _, scores = score_heads(task, head_data(task, learns), by, keep=0.5)
    assert found.pruned == weakest(task.model, scores, 0.5)
    assert found.heads[1] == round(found.heads[0] / 2)
    assert found.parameters[1] < found.parameters[0]
    assert found.bytes[1] < found.bytes[0]
    assert json.loads((tmp_path / "small/pruning.json").read_text())["after"] == found.after
    assert (
        f"{found.heads[1]} of {found.heads[0]} heads were kept, chosen by {by}"
        in (tmp_path / "small/README.md").read_text()
    )


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "norms in float32"])
def test_what_is_stored_in_sixteen_bits_stays_so(kind, home, tmp_path):
    shutil.copytree(home / "model", tmp_path / "model")
    dtype = torch.bfloat16 if kind == "bfloat16" else torch.float16
    stored = {
        name: tensor if kind == "norms in float32" and "norm" in name else tensor.to(dtype)
        for name, tensor in load_file(tmp_path / "model/model.safetensors").items()
    }
    save_file(stored, tmp_path / "model/model.safetensors", metadata={"format": "pt"})
    task = regard.load(tmp_path / "model")
    found = prune_task(task, corpus(task, home), tmp_path / "small", keep=0.5)
    smaller = load_file(tmp_path / "small/model.safetensors")
    assert {name: tensor.dtype for name, tensor in smaller.items()} == {
        name: tensor.dtype for name, tensor in stored.items()
    }
    whole = [name for name, tensor in smaller.items() if tensor.shape == stored[name].shape]
    assert len(whole) > len(smaller) / 2
    assert all(torch.equal(smaller[name], stored[name]) for name in whole)
    assert found.bytes[1] < found.bytes[0]


def test_learning_on_makes_up_for_heads_and_is_the_same_each_time(home):
    task = regard.load(home / "model")
    material = head_data(task, corpus(task, home))
    small = [regard.prune(task.model, {"*": [1]}) for _ in range(2)]
    before = material.evaluation_set().mean(small[0])
    for model in small:
        tune(model, material, Tuning(60, 1e-2, tokens=128))
    assert material.evaluation_set().mean(small[0]) < before / 2
    assert not small[0].training
    pairs = zip(small[0].parameters(), small[1].parameters(), strict=True)
    assert all(torch.equal(one, other) for one, other in pairs)


def test_what_cannot_be_done_is_refused(home, tmp_path):
    task = regard.load(home / "model")
    with pytest.raises(RegardError, match="a share of 1 keeps every head: there is nothing to take out"):
        prune_task(task, corpus(task, home), tmp_path / "all", keep=1.0)
    with pytest.raises(RegardError, match="the model itself is there; name another folder to write to"):
        prune_task(task, corpus(task, home), home / "model", keep=0.5)
    with pytest.raises(UnknownName, match="unknown judge of heads 'taste'"):
        score_heads(task, head_data(task, corpus(task, home)), "taste")


def test_heads_of_a_pruned_model_keep_their_numbers(home, tmp_path):
    task = regard.load(home / "model")
    small = regard.prune(task.model, {"encoder.0.self": [0]})
    task.model = small
    found, _ = score_heads(task, head_data(task, corpus(task, home)), "confidence")
    assert 0 not in found.scores["encoder.0.self"]
    row = found.picture().table[0]
    assert row[0] != row[0]  # not a number: nothing is there
    assert torch.tensor(row[1:]).isfinite().all()
    assert found.ranked()[0][2] == max(max(one.values()) for one in found.scores.values())
