"""What heads are judged by is what a model is measured by.

Also tests: looking/evaluation_set.py.
"""

import numpy as np
import pytest
from tasks.tiny import bart, bert, gpt2

import regard
from regard.errors import RegardError
from regard.tasks.evaluation import corpus_for, evaluate
from regard.tasks.heads.head_data import Subset, first, head_data, held_out
from regard.text import DataError, PlainCorpus

LABELS = {"id2label": {0: "bad", 1: "good"}, "label2id": {"bad": 0, "good": 1}}
LINES = ["the dog sleeps .", "where is the station ?", "a cat", "what a good film , not a bad film !", "the table"]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("material")
    bart(folder / "translate")
    gpt2(folder / "generate")
    bert("ForMaskedLM", folder / "fill")
    bert("ForSequenceClassification", folder / "classify", **LABELS)
    bert("Model", folder / "embed")
    (folder / "lines.translate").write_text("".join(f"{one}\t{one.upper()}\n" for one in LINES))
    (folder / "lines.classify").write_text("".join(f"{one}\t{'good' if 'a' in one else 'bad'}\n" for one in LINES))
    for name in ("generate", "fill", "embed"):
        (folder / f"lines.{name}").write_text("".join(f"{one}\n" for one in LINES))
    return folder


@pytest.mark.parametrize("kind", ["translate", "generate", "classify"])
def test_the_mean_loss_is_that_of_an_evaluation(kind, home):
    pytest.importorskip("sacrebleu")
    task = regard.load(home / kind)
    corpus = corpus_for(task, [home / f"lines.{kind}"])
    material = head_data(task, corpus)
    expected = evaluate(task, corpus, **({"beam": 1} if kind == "translate" else {})).scores["loss"]
    assert material.evaluation_set().mean(task.model) == pytest.approx(expected, rel=1e-4)


def test_examples_of_a_batch_have_one_length(home):
    task = regard.load(home / "translate")
    exam = head_data(task, corpus_for(task, [home / "lines.translate"])).evaluation_set(room=64)
    assert sum(len(batch.target) for batch in exam.batches) == len(LINES)
    assert all(batch.attention_mask is None and batch.positions is None for batch in exam.batches)


@pytest.mark.parametrize(
    ("kind", "closing"), [("fill", ("encoder.*",)), ("classify", ("encoder.*",)), ("generate", ())]
)
def test_it_is_known_where_texts_end(kind, closing, home):
    task = regard.load(home / kind)
    material = head_data(task, corpus_for(task, [home / f"lines.{kind}"]))
    assert material.eos_layers == closing
    assert material.evaluation_set().mean(task.model) > 0


def test_every_tenth_sample_is_held_out(tmp_path):
    (tmp_path / "lines").write_text("".join(f"{number}\n" for number in range(25)))
    rest, out = held_out(first(PlainCorpus(tmp_path / "lines")))
    assert [text for (text,) in out] == ["9", "19"]
    assert [int(text) for (text,) in rest] == [number for number in range(25) if number not in (9, 19)]
    assert out.location(1).endswith("lines:20")
    assert [*rest.first(2)] == [("0",), ("1",)]
    with pytest.raises(DataError, match="lines:1: fewer than 10 samples"):
        held_out(first(PlainCorpus(tmp_path / "lines"), 9))


def test_what_has_no_answer_is_refused(home, tmp_path):
    with pytest.raises(RegardError, match="can embed; known scores are for"):
        head_data(regard.load(home / "embed"), PlainCorpus(home / "lines.embed"))
    task = regard.load(home / "classify")
    (tmp_path / "labels").write_text("a cat\tgood\nthe dog\tugly\n")
    with pytest.raises(DataError, match="labels:2: a label that the model does not know: 'ugly'"):
        head_data(task, corpus_for(task, [tmp_path / "labels"]))
    assert isinstance(first(PlainCorpus(tmp_path / "labels")), Subset)
    assert np.array_equal(head_data(task, corpus_for(task, [home / "lines.classify"])).rows[2][1], [1])
