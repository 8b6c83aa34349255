"""Checkpoints of other programs, written as safetensors. Also tests: checkpoints/unpickle.py."""

import json
import os
import pickle
import shutil
from importlib import import_module

import pytest
import torch
from safetensors.torch import load_file, save_file
from tasks.tiny import PIECES, bert, transformers

import regard
from regard.checkpoints import CheckpointError, convert, load_model
from regard.checkpoints.unpickle import unpickle

TOKENS = torch.tensor([[2, 5, 7, 9, 3]])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    bert("ForMaskedLM", folder)
    (folder / "README.md").write_text("a card")
    (folder / "modeling.py").write_text("raise SystemExit")
    return folder


@pytest.fixture
def pickled(made, tmp_path):
    """The same with a pickle, as older folders are; the table of words is there twice, in one piece of memory."""
    folder = tmp_path / "pickled"
    shutil.copytree(made, folder)
    tensors = load_file(folder / "model.safetensors")
    tensors["cls.predictions.decoder.weight"] = tensors["bert.embeddings.word_embeddings.weight"]
    tensors["cls.predictions.decoder.bias"] = tensors["cls.predictions.bias"]
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")
    return folder


def test_a_pickle_becomes_safetensors_when_allowed(pickled, made, tmp_path):
    folder = convert(pickled, tmp_path / "out", allow_pickle=True)
    assert torch.equal(load_model(folder).model(TOKENS), load_model(made).model(TOKENS))
    wanted = {"config.json", "model.safetensors", "manifest.json", "vocab.txt", "README.md"}
    assert {path.name for path in folder.iterdir()} - {"generation_config.json"} == wanted
    assert (folder / "vocab.txt").read_text().split("\n")[:-1] == PIECES
    assert regard.load(folder)("the [MASK]").tokens == regard.load(made)("the [MASK]").tokens
    again = transformers.BertForMaskedLM.from_pretrained(folder)
    torch.testing.assert_close(again.eval()(TOKENS).logits, load_model(made).model(TOKENS))


def test_a_pickle_in_parts_is_read_through_its_index(pickled, made, tmp_path):
    tensors = torch.load(pickled / "pytorch_model.bin", weights_only=True)
    (pickled / "pytorch_model.bin").unlink()
    index = {name: f"part-{number % 2}.bin" for number, name in enumerate(tensors)}
    for file in set(index.values()):
        torch.save({name: tensor for name, tensor in tensors.items() if index[name] == file}, pickled / file)
    (pickled / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": index}))
    folder = convert(pickled, tmp_path / "out", allow_pickle=True)
    assert torch.equal(load_model(folder).model(TOKENS), load_model(made).model(TOKENS))
    (pickled / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": {"a": "../part-0.bin"}}))
    with pytest.raises(CheckpointError, match="a weight_map from tensor to file of this folder"):
        convert(pickled, tmp_path / "other", allow_pickle=True)


def test_an_error_names_the_folder_that_was_asked_for(pickled, tmp_path, monkeypatch):
    (pickled / "config.json").write_text('{"model_type": "evil"}')
    monkeypatch.setattr(
        import_module("regard.checkpoints.convert"), "unpickle_apart", lambda _, target: save_file({}, target)
    )
    with pytest.raises(CheckpointError, match=f"^{pickled}/config.json: model_type = 'evil' is not supported"):
        convert(pickled, tmp_path / "out", allow_pickle=True)


def test_a_pickle_is_not_opened_unless_allowed(pickled, tmp_path):
    with pytest.raises(CheckpointError, match=r"pytorch_model.bin: a pickle, which can run code .* --allow-pickle"):
        convert(pickled, tmp_path / "out")
    assert not (tmp_path / "out").exists()


class Harm:
    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return (os.mkdir, (self.folder,))


def test_a_pickle_that_would_run_code_is_refused(pickled, tmp_path):
    torch.save({"a": Harm(str(tmp_path / "ran"))}, pickled / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=r"pytorch_model.bin: cannot be read as tensors \(.+\)") as caught:
        convert(pickled, tmp_path / "out", allow_pickle=True)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", [[1, 2], {"a": 7}, {1: torch.zeros(1)}, b"no pickle"], ids=str)
def test_what_is_not_tensors_by_name_is_refused(tmp_path, content):
    if isinstance(content, bytes):
        (tmp_path / "in.bin").write_bytes(content)
    else:
        torch.save(content, tmp_path / "in.bin")
    with pytest.raises((ValueError, pickle.UnpicklingError)):
        unpickle(tmp_path / "out.safetensors", [tmp_path / "in.bin"])
    assert not (tmp_path / "out.safetensors").exists()


def test_what_lies_around_is_not_imported(pickled, made, tmp_path, monkeypatch):
    (tmp_path / "torch.py").write_text(f"import os; os.mkdir({str(tmp_path / 'ran')!r})\n")
    monkeypatch.chdir(tmp_path)
    convert(pickled, tmp_path / "out", allow_pickle=True)
    assert not (tmp_path / "ran").exists()


def test_safetensors_become_a_folder_with_sums(made, tmp_path):
    (tmp_path / "half").mkdir()
    for file in ("config.json", "vocab.txt"):
        shutil.copy(made / file, tmp_path / "half")
    half = transformers.BertForMaskedLM.from_pretrained(made).half()
    half.save_pretrained(tmp_path / "half")
    folder = convert(tmp_path / "half", tmp_path / "out")
    assert {tensor.dtype for tensor in load_file(folder / "model.safetensors").values()} == {torch.float16}
    assert set(json.loads((folder / "manifest.json").read_text())) >= {"config.json", "model.safetensors", "vocab.txt"}


def test_weights_of_several_dtypes_each_keep_their_own(made, tmp_path):
    (tmp_path / "mixed").mkdir()
    shutil.copy(made / "config.json", tmp_path / "mixed")
    mixed = transformers.BertForMaskedLM.from_pretrained(made).half()
    mixed.bert.embeddings.LayerNorm.float()
    mixed.save_pretrained(tmp_path / "mixed")
    stored = {name: tensor.dtype for name, tensor in load_file(tmp_path / "mixed/model.safetensors").items()}
    assert set(stored.values()) == {torch.float16, torch.float32}
    folder = convert(tmp_path / "mixed", tmp_path / "out")
    found = {name: tensor.dtype for name, tensor in load_file(folder / "model.safetensors").items()}
    assert {name: found[name] for name in stored} == stored


def test_nothing_is_written_over(made, tmp_path):
    with pytest.raises(CheckpointError, match="already there"):
        convert(made, tmp_path)
    with pytest.raises(CheckpointError, match="no such folder"):
        convert(tmp_path / "nowhere", tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match=r"no model.safetensors and no pytorch_model.bin"):
        convert(tmp_path / "empty", tmp_path / "out")


def test_a_link_is_not_carried_out(made, tmp_path):
    shutil.copytree(made, tmp_path / "in")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "in" / "notes.txt").symlink_to(tmp_path / "secret")
    with pytest.raises(CheckpointError, match=r"notes.txt: a link to .* outside the folder"):
        convert(tmp_path / "in", tmp_path / "out")
