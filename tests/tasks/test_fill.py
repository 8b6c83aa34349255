"""Words that were left out. Also tests: tasks/processors/fill.py."""

import json

import numpy as np
import pytest
import torch
from tasks.tiny import BYTES, bert, saved, their_tokens, transformers

import regard
from regard.tasks import FillTask, TextTooLong
from regard.tasks.processors.fill import GapProbabilities
from regard.text import TokenizerError

TEXTS = [
    "the [MASK] sleeps .",
    "where is the [MASK] ?",
    "[MASK] [MASK]",
    "a dog runs over the [MASK] , [MASK] under a cat !",
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fill")
    return bert("ForMaskedLM", folder), folder


@pytest.fixture(scope="module")
def fill(made):
    return regard.load(made[1])


def test_a_masked_language_model_fills(fill):
    assert isinstance(fill, FillTask)
    assert fill.processor.mask == "[MASK]"


@torch.no_grad()
def test_choices_equal_the_reference(made, fill):
    model, folder = made
    for text in TEXTS:
        tokens = their_tokens(folder, [text])
        chances = model(**tokens).logits[0].softmax(-1)[tokens["input_ids"][0] == 4]
        expected = chances.topk(3)
        found = fill(text, top=3)
        assert [[choice.id for choice in gap] for gap in found.candidates] == expected.indices.tolist()
        scores = torch.tensor([[choice.score for choice in gap] for gap in found.candidates])
        torch.testing.assert_close(scores, expected.values, rtol=0, atol=1e-5)
        assert found.score == pytest.approx(expected.values[:, 0].prod().item(), rel=1e-4)
        assert found.tokens == tuple(gap[0].token for gap in found.candidates)


def test_answers_do_not_depend_on_the_batch(fill):
    together, alone = fill(TEXTS), [fill(text) for text in TEXTS]
    assert [one.text for one in together] == [one.text for one in alone]
    assert [one.tokens for one in together] == [one.tokens for one in alone]
    assert [one.score for one in together] == pytest.approx([one.score for one in alone], rel=1e-4)


def test_the_word_stands_in_the_text_as_it_was_written(fill, monkeypatch):
    def run(self, texts, *, top, progress):
        return [GapProbabilities(np.array([[self.tokenizer.number(word)]]), np.ones((1, 1))) for _ in texts]

    monkeypatch.setattr(FillTask, "run", run)
    word = "station"
    assert fill("Where, dear, is THE  [MASK]?").text == "Where, dear, is THE  station?"
    word = "##s"
    assert fill("the dog[MASK] sleep").text == fill("the dog [MASK] sleep").text == "the dogs sleep"
    word = "."
    assert fill("The dog sleeps [MASK]").text == "The dog sleeps."
    word = "dog"
    assert fill("[MASK] sleeps").text == "dog sleeps"
    assert fill(("where is it ?", "the [MASK]!")).text == "where is it ? the dog!"


def test_only_the_mask_is_read_from_the_text(fill):
    (gap,) = fill("the [SEP] [MASK]").candidates
    assert len(gap) == 5
    assert "[SEP]" not in fill.tokenizer.encode("the [SEP] [MASK]", special=["[MASK]"]).tokens[:-1]


def test_a_text_without_a_gap_is_told_how_to_write_one(fill):
    with pytest.raises(TokenizerError, match=r"the text has no gap: write \[MASK\] where a word is missing"):
        fill("the dog")
    with pytest.raises(TokenizerError, match="text 2 has no gap"):
        fill(["the [MASK]", "the dog"])


def test_a_long_text_is_one_line_with_the_counts(fill):
    with pytest.raises(TextTooLong, match=r"^text 2 has 43 tokens, the model reads at most 32$"):
        fill(["[MASK]", "the " * 40 + "[MASK]"])


def test_no_texts_have_no_answers(fill):
    assert fill([]) == []


def test_a_mask_that_takes_the_space_before_it_leaves_one(tmp_path):
    """RoBERTa's does."""
    torch.manual_seed(3)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    numbers = {token: number for number, token in enumerate([*special, *BYTES])}
    small = {"vocab_size": len(numbers), "hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 3}
    config = transformers.RobertaConfig(**small, intermediate_size=32, max_position_embeddings=40)
    saved(transformers.RobertaForMaskedLM(config), tmp_path)
    (tmp_path / "vocab.json").write_text(json.dumps(numbers))
    (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    mask = {"content": "<mask>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False}
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"mask_token": mask}))
    fill = regard.load(tmp_path)
    assert fill.processor.fill_text(fill.read("A <mask> b"), [numbers["x"]]) == "Ax b"
    assert len(fill("A <mask> b").tokens) == 1
    with pytest.raises(TokenizerError, match="write <mask> where"):
        fill("A [MASK]")
