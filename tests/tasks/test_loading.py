"""Models found by name, loaded for a task, and listed.

Also tests: tasks/torch_loading.py, checkpoints/device.py, checkpoints/load.py, tasks/find.py, tasks/listing.py,
tasks/task.py.
"""

import sys
from pathlib import Path

import huggingface_hub
import pytest
import torch
from huggingface_hub import errors
from tasks.tiny import bert, gpt2

import regard
from regard.checkpoints import CheckpointError
from regard.errors import UnknownName
from regard.tasks import EmbedTask, FillTask, GenerateTask, find
from regard.tasks.listing import list_models
from regard.text import TokenizerError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("load")
    bert("ForMaskedLM", folder)
    return folder


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """No network, an empty cache, and nothing built in."""
    asked = []

    def download(name, **told):
        asked.append((name, told))
        raise errors.LocalEntryNotFoundError("no route\nto the host")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.setattr(find, "cached_models", dict)
    monkeypatch.setattr(find, "BUILTIN", tmp_path / "nothing")
    return asked


def test_a_folder_is_loaded_with_its_tokeniser(folder):
    task = regard.load(folder)
    assert isinstance(task, FillTask)
    assert len(task.tokenizer) == task.model.config.encoder.embedding.vocabulary
    assert isinstance(regard.load(str(folder)), FillTask)


def test_another_task_can_be_asked_for(folder):
    assert isinstance(regard.load(folder, task="embed"), EmbedTask)
    with pytest.raises(CheckpointError, match="BertForMaskedLM cannot generate; it can fill, embed"):
        regard.load(folder, task="generate")
    with pytest.raises(UnknownName, match="unknown task 'fil': did you mean 'fill'"):
        regard.load(folder, task="fil")


def test_a_task_that_does_not_fit_is_refused_before_weights_are_read(folder, monkeypatch):
    module = sys.modules["regard.tasks.torch_loading"]
    monkeypatch.setattr(module, "load_model", lambda *_, **__: pytest.fail("weights were read"))
    with pytest.raises(CheckpointError, match="cannot translate"):
        regard.load(folder, task="translate")


@pytest.mark.parametrize("dtype", ["bfloat16", torch.bfloat16])
def test_numbers_are_of_the_type_asked_for(folder, dtype):
    task = regard.load(folder, dtype=dtype)
    assert {parameter.dtype for parameter in task.model.parameters()} == {torch.bfloat16}
    assert len(task("the [MASK]", top=3).candidates[0]) == 3
    with pytest.raises(UnknownName, match="unknown dtype 'float8'"):
        regard.load(folder, dtype="float8")


def test_a_device_that_is_not_there_is_one_line(folder):
    with pytest.raises(UnknownName, match="no device 'gpu' here") as caught:
        regard.load(folder, device="gpu")
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_tokeniser_is_loaded_when_told(folder, tmp_path):
    for file in ("config.json", "model.safetensors"):
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    with pytest.raises(TokenizerError, match=r"no tokeniser: tokenizer.json"):
        regard.load(tmp_path)
    task = regard.load(tmp_path, tokenizer=False)
    assert task.model(torch.tensor([[2, 5, 3]])).shape == (1, 3, len(regard.load(folder).tokenizer))
    with pytest.raises(TokenizerError, match="loaded without its tokeniser; the model itself takes token ids"):
        task("the [MASK]")


@pytest.mark.parametrize("name", ["../nowhere", "/nowhere", "a/b/c", "./x", Path("x"), "a b", ""])
def test_what_can_only_be_a_folder_is_not_looked_for_elsewhere(name, offline):
    with pytest.raises(CheckpointError, match="no such folder; built in: nothing; cached: nothing"):
        regard.load(name)
    assert offline == []


def test_offline_is_one_line_that_says_what_there_is(offline, monkeypatch):
    monkeypatch.setattr(find, "cached_models", lambda: {"bert-base-uncased": Path("x")})
    with pytest.raises(CheckpointError) as caught:
        regard.load("someone/model")
    assert str(caught.value) == (
        "someone/model: no such folder, and not to be had from the Hugging Face Hub: no connection, and it was never "
        "fetched; built in: nothing; cached: bert-base-uncased"
    )


def test_a_name_is_fetched_from_the_hub_without_code_or_pickles(folder, monkeypatch):
    asked = {}

    def download(name, allow_patterns):
        asked.update(name=name, files=allow_patterns)
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    assert isinstance(regard.load("someone/model"), FillTask)
    assert asked["name"] == "someone/model"
    assert not [file for file in asked["files"] if file.endswith((".py", ".bin", ".pt", "*", ".pkl"))]


def test_a_built_in_name_is_a_folder_of_the_install(folder, monkeypatch, tmp_path):
    (tmp_path / "tiny-fill").symlink_to(folder)
    monkeypatch.setattr(find, "BUILTIN", tmp_path)
    assert isinstance(regard.load("tiny-fill"), FillTask)
    (found,) = [model for model in list_models() if model.where == "built in"]
    assert (found.name, found.task) == ("tiny-fill", "fill")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(CheckpointError, match=r"tiny-fil: no such .* did you mean 'tiny-fill'\? built in: tiny-fill;"):
        regard.load("tiny-fil")


def test_the_card_of_a_folder_tells_licence_and_scores(folder, tmp_path):
    for file in ("config.json", "model.safetensors", "vocab.txt"):
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    (plain,) = list_models([tmp_path])
    assert (plain.licence, plain.scores) == ("", {})
    results = [huggingface_hub.EvalResult("fill-mask", "news", "News", "accuracy", 0.5, metric_name="Accuracy")]
    data = huggingface_hub.ModelCardData(license="cc-by-4.0", model_name="tiny", eval_results=results)
    huggingface_hub.ModelCard.from_template(data, template_str="---\n{{ card_data }}\n---\n").save(
        tmp_path / "README.md"
    )
    (found,) = list_models([tmp_path])
    assert (found.licence, found.scores) == ("cc-by-4.0", {"Accuracy": 0.5})
    (tmp_path / "README.md").write_text("---\nmodel-index: 3\n---\n")
    assert list_models([tmp_path]) == [plain]


def test_models_are_listed_with_what_they_are_for(folder, tmp_path):
    gpt2(tmp_path / "writer")
    bert("Model", tmp_path / "reader")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("[")
    (tmp_path / "notes").mkdir()
    broken, reader, writer = list_models([tmp_path])
    assert (reader.name, reader.task, reader.architecture) == ("reader", "embed", "BertModel")
    assert (writer.name, writer.task, writer.architecture) == ("writer", "generate", "GPT2LMHeadModel")
    model = regard.load(tmp_path / "writer")
    assert isinstance(model, GenerateTask)
    assert writer.parameters == sum(parameter.numel() for parameter in model.model.parameters())
    assert writer.size == (tmp_path / "writer" / "model.safetensors").stat().st_size
    assert "config.json: no readable JSON" in broken.problem
    with pytest.raises(CheckpointError, match="no model in it"):
        list_models([tmp_path / "notes"])


def test_a_tokeniser_is_not_read_from_outside_the_folder(folder, tmp_path):
    for file in ("config.json", "model.safetensors"):
        (tmp_path / file).write_bytes((folder / file).read_bytes())
    (tmp_path / "vocab.txt").symlink_to(folder / "vocab.txt")
    with pytest.raises(CheckpointError, match=r"vocab.txt: a link to .* outside the folder"):
        regard.load(tmp_path)
