"""Pairs of texts are aligned by what a translator looks at: equal to plain attention with teacher forcing."""

import pytest
import torch
from tasks.tiny import TEXTS, bart
from torch.testing import assert_close

import regard
from regard.errors import RegardError, ShapeError, UnknownName
from regard.looking.align import AlignmentHeads, Gold, by_gold, links, swap_links, symmetrise, word_weights
from regard.tasks import TextTooLong
from regard.tasks.align import Direction, WordAligner, align_words
from regard.text.align.mean import mean_links

PAIRS = [(TEXTS[0], TEXTS[2]), (TEXTS[1], TEXTS[0]), (TEXTS[2], TEXTS[3]), (TEXTS[4], TEXTS[1])]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bart")
    return bart(folder, decoder_layers=2, attn_implementation="eager"), folder


@pytest.fixture(scope="module")
def translate(made):
    return regard.load(made[1])


@torch.no_grad()
def eager(model, translate, source, ids):
    """The weights of every head of every layer, (layers, heads, target, source), for what was written after </s>."""
    model.set_attn_implementation("eager")
    read = torch.tensor([translate.tokenizer.encode(source).ids])
    out = model(read, decoder_input_ids=torch.tensor([[2, *ids]]), output_attentions=True)
    return torch.stack(out.cross_attentions)[:, 0]


@pytest.mark.parametrize(
    "look", ["decoder.1.cross:2", "decoder.0.cross:1 shifted", "3 decoder.0.cross + decoder.1.cross:0"]
)
def test_a_pair_is_read_as_plain_attention_reads_it(made, translate, look):
    found = Direction.of(translate, heads=look).alignments(PAIRS)
    for (source, target), one in zip(PAIRS, found, strict=True):
        ids = translate.tokenizer.encode(target).ids
        weights = eager(made[0], translate, source, ids)
        rows = len(ids) - 1  # the end is no part of the text
        expected = {
            "decoder.1.cross:2": weights[1, 2, :rows],
            "decoder.0.cross:1 shifted": weights[0, 1, 1 : rows + 1],
            "3 decoder.0.cross + decoder.1.cross:0": 0.75 * weights[0, :, :rows].mean(0) + 0.25 * weights[1, 0, :rows],
        }[look]
        assert_close(torch.from_numpy(one.weights), expected, rtol=0, atol=1e-5)
        assert max(word for word in one.target_words if word is not None) == len(target.split()) - 1
        assert one.target_ends[-1] == len(target)


@pytest.mark.parametrize("beam", [1, 4])
def test_the_shifted_look_at_a_winner_is_that_of_the_step_that_reads_its_word(made, translate, monkeypatch, beam):
    monkeypatch.setattr(translate, "alignment_heads", AlignmentHeads.read("decoder.1.cross:1 shifted"))
    kinds = set()
    for one in translate(TEXTS, beam=beam, max_new_tokens=9):
        weights = eager(made[0], translate, one.source, one.ids)[1, 1]
        rows = list(range(1, len(one.ids) + 1))
        if not one.is_finished:
            rows[-1] -= 1  # nobody read the last word
        assert_close(torch.from_numpy(one.alignment.weights), weights[rows], rtol=0, atol=1e-5)
        kinds.add(one.is_finished)
    assert kinds


def test_the_folder_may_say_which_heads(made, tmp_path):
    import json
    import shutil

    shutil.copytree(made[1], tmp_path / "told")
    settings = json.loads((tmp_path / "told" / "generation_config.json").read_text())
    settings["alignment"] = "decoder.0.cross:2 shifted"
    (tmp_path / "told" / "generation_config.json").write_text(json.dumps(settings))
    told = regard.load(tmp_path / "told")
    assert str(told.alignment_heads) == "decoder.0.cross:2 shifted"
    assert Direction.of(told).has_own_heads
    expected = Direction.of(regard.load(made[1]), heads="decoder.0.cross:2 shifted").alignments(PAIRS[:1])
    assert_close(Direction.of(told).alignments(PAIRS[:1])[0].weights, expected[0].weights)


def test_two_directions_become_one(translate):
    forward, backward = (
        Direction.of(translate, heads="decoder.0.cross:0"),
        Direction.of(translate, heads="decoder.1.cross"),
    )
    aligner = WordAligner(forward, backward, "union")
    there = WordAligner(forward)(PAIRS)
    back = WordAligner(backward)([(target, source) for source, target in PAIRS])
    assert aligner(PAIRS) == [one | swap_links(other) for one, other in zip(there, back, strict=True)]
    grown = WordAligner(forward, backward, "grow-diag")(PAIRS)
    assert grown == [symmetrise(one, swap_links(other), "grow-diag") for one, other in zip(there, back, strict=True)]
    with pytest.raises(UnknownName, match=r"unknown way to symmetrise 'grow'.*mean"):
        WordAligner(forward, backward, "grow")


def test_the_mean_of_two_directions_is_of_their_word_weights(translate):
    forward, backward = (Direction.of(translate, heads=f"decoder.{layer}.cross") for layer in (0, 1))
    there = forward.alignments(PAIRS)
    back = backward.alignments([(target, source) for source, target in PAIRS])
    expected = [mean_links(one.word_weights, other.word_weights) for one, other in zip(there, back, strict=True)]
    assert WordAligner(forward, backward)(PAIRS) == expected
    assert any(expected)


def test_heads_are_chosen_by_the_links_they_make(translate):
    direction = Direction.of(translate)
    looks = direction.word_weights_of(PAIRS)
    assert len(looks) == 2 * (3 + 1) * 2
    wanted = AlignmentHeads.read("decoder.1.cross:1 shifted").heads[0]
    truth = [links(one) for one in looks[wanted]]
    choice = WordAligner(direction).choose_heads(PAIRS, [Gold(one, one) for one in truth]).choices[0]
    assert choice.error == 0
    assert by_gold([Gold(one, one) for one in truth])([links(one) for one in looks[choice.ranking[0][0]]]) == 0
    assert [links(one) for one in looks[wanted]] == WordAligner(Direction.of(translate, heads=str(wanted)))(PAIRS)


def test_lines_that_heads_were_chosen_on_do_not_count_in_the_score(translate):
    truth = WordAligner(Direction.of(translate, heads="decoder.0.cross:2"))(PAIRS)
    gold = [Gold(one, one) for one in truth]
    found = align_words(WordAligner(Direction.of(translate)), PAIRS, gold=gold, lines=3)
    assert found.scored == 1
    assert found.aligner.choices[0].rule == "gold"
    unseen = align_words(WordAligner(Direction.of(translate)), PAIRS, gold=gold)
    assert unseen.scored == 4
    assert unseen.aligner.choices[0].rule == "words spelled alike"
    told = align_words(WordAligner(Direction.of(translate, heads="decoder.0.cross:2")), PAIRS, gold=gold)
    assert told.scores.aer == 0
    assert told.aligner.choices == ()


def test_empty_texts_have_no_links(translate):
    assert WordAligner(Direction.of(translate, heads="decoder.0.cross"))([("", "a cat"), ("a cat", "")]) == [
        set(),
        set(),
    ]


def test_what_cannot_be_aligned_is_told(translate):
    aligner = WordAligner(Direction.of(translate))
    with pytest.raises(TextTooLong, match="pair 2: its target has 62 tokens, the model has positions for 48"):
        Direction.of(translate).alignments([("a", "b"), ("a", "x" * 60)])
    with pytest.raises(ShapeError, match="the gold alignment has 1 lines, expected 4"):
        align_words(aligner, PAIRS, gold=[Gold(frozenset(), frozenset())])
    with pytest.raises(RegardError, match="takes gold for more lines than that"):
        align_words(aligner, PAIRS, gold=[Gold(frozenset(), frozenset())] * 4, lines=4)
    with pytest.raises(RegardError, match="no word stands on both sides"):
        aligner.choose_heads([("a", "b")])


def test_words_are_merged_from_tokens(translate):
    direction = Direction.of(translate, heads="decoder.0.cross:0")
    (one,) = direction.alignments(PAIRS[:1])
    assert_close(
        direction.word_weights_of(PAIRS[:1])[direction.heads.heads[0]][0],
        word_weights(one.weights, one.target_words, one.source_words),
    )
