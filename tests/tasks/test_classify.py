"""Labels of texts, pairs and tokens. Also tests: tasks/processors/classify.py, text/encoded.py."""

import json

import pytest
import torch
from tasks.tiny import TEXTS, bert, gpt2, their_tokens

import regard
from regard.checkpoints import CheckpointError
from regard.tasks import ClassifyTask, TextTooLong

LABELS = {"id2label": {0: "bad", 1: "good", 2: "neither"}, "label2id": {"bad": 0, "good": 1, "neither": 2}}


@torch.no_grad()
def test_texts_are_labelled_as_by_the_reference(tmp_path):
    model = bert("ForSequenceClassification", tmp_path, **LABELS)
    classify = regard.load(tmp_path)
    assert isinstance(classify, ClassifyTask)
    expected = model(**their_tokens(tmp_path, TEXTS)).logits.softmax(-1)
    found = classify(TEXTS)
    assert [one.label for one in found] == [LABELS["id2label"][best] for best in expected.argmax(-1).tolist()]
    scores = torch.tensor([list(one.scores.values()) for one in found])
    torch.testing.assert_close(scores, expected, rtol=0, atol=1e-5)
    assert list(found[0].scores) == ["bad", "good", "neither"]
    assert [one.score for one in found] == [max(one.scores.values()) for one in found]
    assert [classify(text).label for text in TEXTS] == [one.label for one in found]


@torch.no_grad()
def test_a_pair_is_read_as_two_texts(tmp_path):
    model = bert("ForSequenceClassification", tmp_path, **LABELS)
    tokens = their_tokens(tmp_path, ["the dog"], text_pair=["a cat runs"])
    expected = model(**tokens).logits.softmax(-1)[0]
    found = regard.load(tmp_path)(("the dog", "a cat runs"))
    torch.testing.assert_close(torch.tensor(list(found.scores.values())), expected, rtol=0, atol=1e-5)


@torch.no_grad()
def test_tokens_are_labelled_where_they_stand(tmp_path):
    model = bert("ForTokenClassification", tmp_path, **LABELS)
    expected = model(**their_tokens(tmp_path, TEXTS[:1])).logits[0].argmax(-1)[1:-1]
    found = regard.load(tmp_path)(TEXTS)[0]
    assert [tag.label for tag in found.tokens] == [LABELS["id2label"][best] for best in expected.tolist()]
    assert [TEXTS[0][tag.start : tag.end] for tag in found.tokens] == [tag.token for tag in found.tokens]


@torch.no_grad()
def test_a_model_that_reads_on_labels_by_its_last_token(tmp_path):
    model = gpt2(tmp_path, "ForSequenceClassification", pad_token_id=256, **LABELS)
    classify = regard.load(tmp_path)
    found = classify(TEXTS)
    for one, text in zip(found, TEXTS, strict=True):
        expected = model(**their_tokens(tmp_path, [text])).logits.softmax(-1)[0]
        torch.testing.assert_close(torch.tensor(list(one.scores.values())), expected, rtol=0, atol=1e-5)


@torch.no_grad()
def test_labels_that_do_not_exclude_each_other_have_scores_of_their_own(tmp_path):
    model = bert("ForSequenceClassification", tmp_path, problem_type="multi_label_classification", **LABELS)
    expected = model(**their_tokens(tmp_path, TEXTS[:1])).logits.sigmoid()[0]
    torch.testing.assert_close(torch.tensor(list(regard.load(tmp_path)(TEXTS[0]).scores.values())), expected)


def test_a_long_text_is_cut_only_when_asked(tmp_path):
    bert("ForSequenceClassification", tmp_path, **LABELS)
    classify = regard.load(tmp_path)
    with pytest.raises(TextTooLong, match=r"the text has 42 tokens, the model reads at most 32; cut=True \(--cut\)"):
        classify("the " * 40)
    assert classify("the " * 40, cut=True).scores == classify("the " * 30).scores


def test_labels_that_do_not_fit_are_an_error(tmp_path):
    bert("ForSequenceClassification", tmp_path, **LABELS)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"id2label": {"0": "a", "1": "b", "7": "c"}}))
    with pytest.raises(CheckpointError, match="id2label does not name the 3 labels 0 to 2"):
        regard.load(tmp_path)
