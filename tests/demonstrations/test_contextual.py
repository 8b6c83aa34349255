"""How much of a word's vector is its context: examples/contextual.py."""

import pytest
import torch
from demonstrations.examples import example, run_json

import regard

contextual = example("contextual")


@pytest.fixture(scope="module")
def occurrences():
    return contextual.read(regard.load("en-de"))[1]


def test_every_sentence_has_its_word_once():
    texts = contextual.sentences()
    for number, text in enumerate(texts):
        words = [word for word, _, _ in contextual.spans(text)]
        shown = [word for word in contextual.SENSES if contextual.sense_of(word, number) is not None]
        assert len(shown) == 1
        assert words.count(shown[0]) == 1
    assert len(set(texts)) == len(texts)


def test_the_mean_cosine_is_that_of_all_pairs():
    vectors = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(1))
    pairs = [(first, second) for first in range(5) for second in range(first)]
    slow = [torch.stack([torch.cosine_similarity(layer[a], layer[b], 0) for a, b in pairs]).mean() for layer in vectors]
    torch.testing.assert_close(contextual.cosines(vectors), torch.stack(slow))


def test_layers_take_in_context(occurrences):
    """The meaning of a word is nearer the top; a word is everywhere more like itself than like any other."""
    table = contextual.measured(occurrences)
    assert table["nearest has the meaning"][-1] > table["nearest has the meaning"][0] + 0.1
    assert table["nearest has the meaning"][-1] > 3 / 7 + 0.1
    assert table["words of two meanings"][-1] < table["words of two meanings"][0]
    assert table["… in one meaning"][-1] > table["words of two meanings"][-1]
    assert min(table["words of two meanings"] + table["function words"]) > 0.3


def test_meanings_drawn_by_lot_are_not_told(occurrences, monkeypatch):
    """The measure itself says chance where there is nothing to tell: means over ten drawings."""
    true = contextual.sense_of
    shares = []
    for seed in range(10):
        order = torch.randperm(8, generator=torch.Generator().manual_seed(seed)).tolist()

        def drawn(word, sentence, order=order):
            return None if true(word, sentence) is None else order[sentence % 8] // 4

        monkeypatch.setattr(contextual, "sense_of", drawn)
        shares.append(contextual.measured(occurrences)["nearest has the meaning"][-1])
    assert sum(shares) / 10 == pytest.approx(3 / 7, abs=0.1)


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(contextual, "--chart", str(tmp_path / "chart.svg"))
    assert len(found["any two words"]) == len(found["layers"])
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
