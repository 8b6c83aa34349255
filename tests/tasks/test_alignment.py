"""Who looked at whom in a text that was searched for: equal to a pass with teacher forcing in plain attention.

Also tests: tasks/token_words.py, tasks/inputs.py, tasks/replay.py.
"""

import numpy as np
import pytest
import torch
from models.test_transliteration import items
from models.test_transliteration import model as model  # a fixture
from tasks.tiny import TEXTS, bart
from tasks.translators import small, transliterator
from text.pieces import ENGLISH, marian_files
from torch.testing import assert_close

import regard
from regard.tasks import TextTooLong
from regard.tasks.alignment import Alignment, words_at
from regard.tasks.source_layers import alignment_layer
from regard.text.sentences import split


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("align")
    return bart(folder, decoder_layers=2, attn_implementation="eager"), folder


@pytest.fixture(scope="module")
def translate(made):
    return regard.load(made[1])


@pytest.fixture(scope="module")
def marian(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marian")
    small("marian", folder, len(marian_files(folder)))
    return regard.load(folder)


@torch.no_grad()
@pytest.mark.parametrize("beam", [1, 4])
def test_it_equals_eager_attention(made, translate, beam):
    model, _ = made
    model.set_attn_implementation("eager")
    for one in translate(TEXTS, beam=beam, max_new_tokens=9):
        source = torch.tensor([translate.tokenizer.encode(one.source).ids])
        target = torch.tensor([[2, *one.ids]])
        out = model(source, decoder_input_ids=target, output_attentions=True)
        expected = out.cross_attentions[alignment_layer(2)][0].mean(0)[: len(one.ids)]
        assert_close(torch.from_numpy(one.alignment.weights), expected, rtol=0, atol=1e-5)
        assert one.alignment.target == one.tokens
        assert one.alignment.source == one.source_tokens


@torch.no_grad()
@pytest.mark.parametrize("beam", [1, 3])
def test_watching_a_decode_shows_the_winner_once_and_whole(made, translate, beam):
    model, _ = made
    model.set_attn_implementation("eager")
    plain = translate(TEXTS[:3], beam=beam, max_new_tokens=9)
    with regard.watch(translate.model) as seen:
        found = translate(TEXTS[:3], beam=beam, max_new_tokens=9)
    assert [one.ids for one in found] == [one.ids for one in plain]
    assert all(len(seen.all(name)) == 1 for name in seen)
    for row, one in enumerate(found):
        source = torch.tensor([translate.tokenizer.encode(one.source).ids])
        rows = len(one.ids) + one.is_finished
        out = model(source, decoder_input_ids=torch.tensor([[2, *one.ids]])[:, :rows], output_attentions=True)
        theirs = {f"encoder.{layer}.self": weights for layer, weights in enumerate(out.encoder_attentions)}
        theirs |= {f"decoder.{layer}.self": weights for layer, weights in enumerate(out.decoder_attentions)}
        theirs |= {f"decoder.{layer}.cross": weights for layer, weights in enumerate(out.cross_attentions)}
        for layer_name, weights in theirs.items():
            queries, keys = weights.shape[2:]
            assert_close(seen[layer_name][row, :, :queries, :keys], weights[0], rtol=0, atol=1e-5)


def test_an_alignment_is_shown_to_nobody_else(translate):
    one = translate(TEXTS[0], max_new_tokens=5)
    with regard.watch(translate.model) as seen, regard.edit(translate.model) as edit:
        edit.head("decoder.*.cross", [0, 1, 2]).temperature(100.0)
        weights = one.alignment.weights
    assert list(seen) == []
    assert_close(weights, translate(TEXTS[0], max_new_tokens=5).alignment.weights)


@pytest.mark.parametrize("beam", [1, 3])
def test_edits_act_on_the_search_and_on_what_is_seen_of_it(translate, beam):
    text = TEXTS[1]
    plain = translate(text, beam=beam, max_new_tokens=9)
    with regard.edit(translate.model) as edit, regard.watch(translate.model) as seen:
        edit.head("encoder.*.self", [0, 1, 2]).off()
        edit.hide(source=[3])
        edited = translate(text, beam=beam, max_new_tokens=9)
    assert edited.ids != plain.ids
    assert edited.score != pytest.approx(plain.score)
    assert edited.alignment.weights[:, 3].max() == 0
    assert plain.alignment.weights[:, 3].max() > 0
    assert_close(seen["decoder.0.cross"][0, :, : len(edited.ids)].mean(0), torch.from_numpy(edited.alignment.weights))
    assert translate(text, beam=beam, max_new_tokens=9).ids == plain.ids


@torch.no_grad()
def test_a_real_model_searches_and_looks_as_the_reference(model):
    translate = transliterator(model)
    for item in items()[:3]:
        name = "".join(item["source"])
        best = translate(name, beam=4, num_hypotheses=4)
        assert [(one.text, pytest.approx(one.rank_score, abs=1e-4)) for one in (best, *best.alternatives)] == [
            tuple(pair) for pair in item["beam4"]
        ]
        greedy = translate(name)
        assert greedy.text == item["greedy"]
        assert greedy.score == pytest.approx(sum(item["greedy_token_logprobs"]), abs=1e-4)
        with regard.watch(model, "decoder.5.cross") as seen:
            translate(name)
        looked = torch.tensor(item["last_layer_head0_cross_attention"])
        assert_close(seen["decoder.5.cross"][0, 0, : len(looked)], looked, rtol=0, atol=1e-5)
    together = translate(["".join(item["source"]) for item in items()], beam=4)
    assert [one.text for one in together] == [item["beam4"][0][0] for item in items()]


def test_sentences_are_translated_one_by_one_and_put_together(marian):
    text = f"  {ENGLISH[0]} {ENGLISH[1]}\n\n{ENGLISH[3]} "
    whole = marian(text, beam=2, max_new_tokens=8)
    alone = marian([ENGLISH[0], ENGLISH[1], ENGLISH[3]], beam=2, max_new_tokens=8)
    assert whole.text == f"  {alone[0].text} {alone[1].text}\n\n{alone[2].text} "
    assert whole.ids == alone[0].ids + alone[1].ids + alone[2].ids
    assert whole.score == pytest.approx(sum(one.score for one in alone), abs=1e-4)
    found = whole.alignment
    alone_weights = [torch.from_numpy(one.alignment.weights) for one in alone]
    assert_close(torch.from_numpy(found.weights), torch.block_diag(*alone_weights))
    count = len(text.split())
    assert {source for source, _ in found.words} <= set(range(count))
    assert max(word for word in found.target_words if word is not None) == len(whole.text.split()) - 1
    assert marian(text, split=False, max_new_tokens=8).ids != whole.ids
    with regard.watch(marian.model, "decoder.0.cross") as seen:
        marian(text, max_new_tokens=8)
    assert seen["decoder.0.cross"].shape[0] == 3


def test_alternatives_of_a_text_are_the_best_of_its_sentences_together(marian):
    text = f"{ENGLISH[0]} {ENGLISH[3]}"
    best = marian(text, beam=3, num_hypotheses=3, max_new_tokens=6)
    first, second = marian([ENGLISH[0], ENGLISH[3]], beam=3, num_hypotheses=3, max_new_tokens=6)
    ranks = sorted(
        (a.rank_score + b.rank_score for a in (first, *first.alternatives) for b in (second, *second.alternatives)),
        reverse=True,
    )
    assert [one.rank_score for one in (best, *best.alternatives)] == pytest.approx(ranks[:3], abs=1e-4)


def test_a_sentence_that_is_too_long_is_cut_between_words_never_silently(marian, monkeypatch):
    monkeypatch.setattr(marian.processor, "max_length", 20)
    text = "the dog sleeps under the table, where it rains today, and the station is there"
    pieces = marian.read(text, split=True).sentences
    assert len(pieces) > 1
    assert "".join(piece.sentence + piece.gap for piece in pieces) == text
    assert all(len(piece.encoded) <= 20 for piece in pieces)
    assert split(text) == [(text, "")]
    assert marian(text, max_new_tokens=4).text.count(" ") >= len(pieces) - 1
    with pytest.raises(TextTooLong, match=r"text 2 has a word of more tokens than the 20 that the model"):
        marian(["a", "the" * 60])
    with pytest.raises(TextTooLong, match=r"text 8 has \d+ tokens, the model reads at most 20; split=True"):
        marian(["a", text], split=False, first=7)


def test_words_are_counted_between_spaces():
    assert words_at("ab  c d", [1, 2, 5, 7, None]) == (0, 0, 1, 2, None)
    assert words_at(" a", [1, 2]) == (None, 0)
    weights = np.array([[0.5, 0.1, 0.4], [0.2, 0.5, 0.3], [0.0, 0.0, 1.0]], dtype=np.float32)
    found = Alignment(weights, ("Ha", "llo", "!"), ("he", "llo", "</s>"), (0, 0, 1), (0, 0, None))
    assert found.pairs == ((0, 0), (1, 1))
    assert found.words == ((0, 0),)
    assert found.pharaoh == "0-0"


def test_it_draws_itself(translate):
    found = translate(TEXTS[0], max_new_tokens=4).alignment
    assert str(found) == found.draw()
    assert len(str(found).split("\n")) == 1 + len(found.target)
    assert found.svg("looks").startswith("<svg")
    assert "looks" in found.svg("looks")


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!DOCTYPE html>")])
def test_it_is_saved_in_the_form_that_the_ending_says(translate, ending, start, tmp_path):
    found = translate(TEXTS[0], max_new_tokens=4).alignment
    found.save(tmp_path / f"map.{ending}", title="looks")
    assert (tmp_path / f"map.{ending}").read_bytes().startswith(start)
    found.save(tmp_path / "map.txt")
    assert (tmp_path / "map.txt").read_text() == f"{found}\n"
