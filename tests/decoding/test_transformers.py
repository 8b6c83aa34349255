"""Searches and rules give what transformers' generate gives, with the same random weights."""

import pytest
import torch

from regard.checkpoints import load_model
from regard.decoding import Beam, Constraints, decode

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

END, PAD, VOCABULARY, TEXTS, LONGEST = 0, 39, 40, 12, 12
SOURCE = torch.randint(1, 39, (TEXTS, 7), generator=torch.Generator().manual_seed(1))
REAL = torch.tensor([[position < 7 - row % 4 for position in range(7)] for row in range(TEXTS)])


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    torch.manual_seed(1)
    sizes = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24}
    heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2}
    marks = {"eos_token_id": END, "pad_token_id": PAD, "decoder_start_token_id": PAD, "forced_eos_token_id": None}
    config = transformers.MarianConfig(
        vocab_size=VOCABULARY, **sizes, **heads, **marks, max_position_embeddings=64, init_std=0.5, bos_token_id=None
    )
    model = transformers.MarianMTModel(config).eval()
    model.final_logits_bias[0, END] = 2.0
    return both(model, tmp_path_factory.mktemp("marian"))


@pytest.fixture(scope="module")
def writer(tmp_path_factory):
    torch.manual_seed(3)
    sizes = {"n_positions": 64, "n_embd": 16, "n_layer": 2, "n_head": 2, "initializer_range": 0.5}
    marks = {"bos_token_id": END, "eos_token_id": END}
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=VOCABULARY, **sizes, **marks)).eval()
    return both(model, tmp_path_factory.mktemp("gpt2"))


def both(model, folder):
    model.save_pretrained(folder)
    return model, load_model(folder).model.eval()


def theirs(model, kind, **told):
    """Token ids without the end and what follows it, for the best of each text, and the scores if there are any."""
    attention_mask = REAL if kind == "translator" else torch.ones_like(REAL)
    told = {"max_new_tokens": LONGEST, "do_sample": False, "pad_token_id": PAD if kind == "translator" else END, **told}
    found = model.generate(
        SOURCE, attention_mask=attention_mask.long(), **told, return_dict_in_generate=True, output_scores=True
    )
    begin = 1 if kind == "translator" else SOURCE.shape[1]
    ids = [row[begin:].tolist() for row in found.sequences]
    ids = [row[: row.index(END)] if END in row else row for row in ids]
    return [tuple(token for token in row if token != PAD or kind == "writer") for row in ids], found


def ours(model, kind, rules, **told):
    banned = (PAD,) if kind == "translator" else ()
    rules = {"ends": (END,), "banned": banned} | rules
    told = {"max_new_tokens": LONGEST, "constraints": Constraints(**rules), **told}
    if kind == "translator":
        return decode(model, SOURCE, attention_mask=REAL, prefix=torch.full((TEXTS, 1), PAD), **told)
    return decode(model, None, prefix=SOURCE, **told)


CASES = {
    "plain": ({}, {}, {}),
    "shortest": ({"min_new_tokens": 5}, {}, {"min_new_tokens": 5}),
    "no repeats": ({"no_repeat_ngram_size": 2}, {"no_repeat": 2}, {}),
    "no token twice": ({"no_repeat_ngram_size": 1}, {"no_repeat": 1}, {}),
    "penalty": ({"repetition_penalty": 1.7}, {"repetition_penalty": 1.7}, {}),
    "reward": ({"repetition_penalty": 0.6}, {"repetition_penalty": 0.6}, {}),
    "bad words": (
        {"bad_words_ids": [[3], *[[a, b] for a in range(1, 39, 2) for b in range(1, 39, 3)], [2, 5, 7]]},
        {"phrases": ((3,), *((a, b) for a in range(1, 39, 2) for b in range(1, 39, 3)), (2, 5, 7))},
        {},
    ),
    "suppressed": (
        {"suppress_tokens": [4, 8], "begin_suppress_tokens": [*range(6, 16)]},
        {"banned": (4, 8, PAD), "banned_first": tuple(range(6, 16))},
        {},
    ),
    "forced": ({"forced_bos_token_id": 7, "forced_eos_token_id": END}, {"first": 7, "last": END}, {}),
}


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("kind", ["translator", "writer"])
@pytest.mark.parametrize("case", CASES)
def test_our_search_writes_what_theirs_writes(request, kind, beam, case):
    reference, model = request.getfixturevalue(kind)
    given, rules, told = CASES[case]
    if kind == "writer" and case == "forced":  # they count the prompt, and force nothing after one
        given, rules = {"forced_eos_token_id": END}, {"last": END}
    if kind == "writer" and case == "suppressed":
        rules = rules | {"banned": (4, 8)}
    if kind == "translator":
        given = given | {"bad_words_ids": [*given.get("bad_words_ids", []), [PAD]]}
    stop = {"early_stopping": True, "length_penalty": 1.0} if beam > 1 else {}
    expected, _ = theirs(reference, kind, num_beams=beam, **stop, **given)
    found = [one.best.ids for one in ours(model, kind, rules, beam=beam, **told)]
    assert found == expected
    assert len(set(found)) > 2


@pytest.mark.parametrize("kind", ["translator", "writer"])
@pytest.mark.parametrize(("stops", "theirs_stop"), [(True, True), (False, "never")])
@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.0])
def test_all_hypotheses_and_their_ranks_are_theirs(request, kind, stops, theirs_stop, penalty):
    reference, model = request.getfixturevalue(kind)
    told = {"num_beams": 3, "num_return_sequences": 3, "early_stopping": theirs_stop, "length_penalty": penalty}
    bad = {"bad_words_ids": [[PAD]]} if kind == "translator" else {}
    expected, told = theirs(reference, kind, **told, **bad)
    found = ours(model, kind, {}, beam=Beam(3, stops), num_hypotheses=3, length_penalty=penalty)
    texts = [text for one in found for text in one.hypotheses]
    assert [text.ids for text in texts] == expected
    assert [text.rank_score for text in texts] == pytest.approx(told.sequences_scores.tolist(), abs=1e-4)


def test_the_score_of_a_penalised_token_is_what_the_model_thinks_of_it(writer):
    _, model = writer
    for beam in (1, 4):
        for row, one in enumerate(ours(model, "writer", {"repetition_penalty": 1.7}, beam=beam)):
            text = [*one.best.ids, *([END] if one.best.is_finished else [])]
            with torch.no_grad():
                told = model(torch.tensor([[*SOURCE[row].tolist(), *text]]))[0, 6:-1].log_softmax(-1)
            expected = told[range(len(text)), text].tolist()
            assert one.best.scores == pytest.approx(expected, abs=1e-4)
