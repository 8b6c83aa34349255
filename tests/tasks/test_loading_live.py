"""`regard.load(live_model, tokenizer)`: the same answers as from its folder, on weights that are shared.

Also tests: tasks/loading.py.
"""

import pytest
import torch
from tasks.tiny import bert, gpt2

import regard
from regard.errors import RegardError
from regard.tasks import ClassifyTask, FillTask, GenerateTask, TranslateTask
from regard.tasks.find import builtin

transformers = pytest.importorskip("transformers")


def test_a_live_writer_is_asked_as_its_folder_is(tmp_path):
    live = gpt2(tmp_path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path)
    task, folder = regard.load(live, tokenizer), regard.load(tmp_path)
    assert isinstance(task, GenerateTask)
    assert task("the dog", max_new_tokens=6) == folder("the dog", max_new_tokens=6)
    assert task.model.decoder.embedding.table.weight.data_ptr() == live.transformer.wte.weight.data_ptr()
    with regard.watch(task.model) as seen:
        task("the dog", max_new_tokens=3)
    assert "decoder.1.self" in seen
    with regard.edit(task.model) as edit:
        edit.head("decoder.*.self", 0).off()
        edit.site("decoder.0.stream.after").scale(-1)
        changed = task("the dog", max_new_tokens=6)
    assert changed.text != task("the dog", max_new_tokens=6).text
    assert regard.load(live, folder.tokenizer)("a", max_new_tokens=2) == folder("a", max_new_tokens=2)
    assert regard.load(live, tmp_path)("a", max_new_tokens=2) == folder("a", max_new_tokens=2)


def test_a_live_reader_fills_and_labels_as_its_folder_does(tmp_path):
    for kind, kind_of_task, text in (("ForMaskedLM", FillTask, "the [MASK] sleeps"),
                                     ("ForSequenceClassification", ClassifyTask, "a good film")):  # fmt: skip
        live = bert(kind, tmp_path / kind)
        task, folder = regard.load(live, tmp_path / kind), regard.load(tmp_path / kind)
        assert isinstance(task, kind_of_task)
        assert str(task(text)) == str(folder(text))


def test_a_live_translator_writes_as_its_folder_says():
    folder = builtin()["en-de"]
    live = transformers.MarianMTModel.from_pretrained(folder)
    task = regard.load(live, folder)
    assert isinstance(task, TranslateTask)
    text = "Where is the station?"
    assert task(text).text == regard.load("en-de")(text).text


def test_what_does_not_fit_is_told_in_one_line(tmp_path):
    live = gpt2(tmp_path)
    assert regard.load(live).model(torch.tensor([[1, 2]])).shape == (1, 2, 257)
    with pytest.raises(RegardError, match="was loaded without its tokeniser"):
        regard.load(live)("the dog")
    with pytest.raises(RegardError, match="stays where it is"):
        regard.load(live, device="cpu")
    with pytest.raises(RegardError, match="tokeniser of regard or transformers, or a folder that has one, expected"):
        regard.load(live, 3)
    with pytest.raises(RegardError, match="a folder has its own tokeniser"):
        regard.load(tmp_path, object())
    with pytest.raises(RegardError, match="Linear is no model of transformers"):
        regard.load(torch.nn.Linear(2, 2))
