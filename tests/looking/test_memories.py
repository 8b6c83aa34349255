"""Keys and values against transformers' own feed-forward layers, read by hooks."""

import pytest
import torch
import transformers
from looking.families import made
from looking.test_lens import WORDS, loaded
from torch.testing import assert_close

from regard.errors import RegardError, UnknownName
from regard.looking import memories
from regard.looking.memories import promoted_tokens, triggers

LLAMA = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32}


def gpt2(folder):
    config = transformers.GPT2Config(vocab_size=WORDS, n_embd=24, n_layer=2, n_head=4, n_positions=20)
    theirs, ours = loaded(transformers.GPT2LMHeadModel(config), folder)
    return theirs, ours, [block.mlp.c_proj for block in theirs.transformer.h]


def llama(folder):
    config = transformers.LlamaConfig(vocab_size=WORDS, num_key_value_heads=2, **LLAMA)
    theirs, ours = loaded(transformers.LlamaForCausalLM(config), folder)
    return theirs, ours, [layer.mlp.down_proj for layer in theirs.model.layers]


def texts():
    lot = torch.Generator().manual_seed(0)
    lengths = torch.randint(2, 9, (12,), generator=lot).tolist()
    some = [torch.randint(3, WORDS, (length,), generator=lot) for length in lengths]
    for number, one in enumerate(some):
        one[0] = 3 + number  # no two prefixes are the same, so that no two matches are
    return some


def calls(model, some, size):
    """Batches of so many texts, padded on the right."""
    for start in range(0, len(some), size):
        part = some[start : start + size]
        tokens = torch.nn.utils.rnn.pad_sequence(part, batch_first=True)
        attention_mask = torch.arange(tokens.shape[1]) < torch.tensor([[len(one)] for one in part])
        yield (
            lambda tokens=tokens, attention_mask=attention_mask: model(tokens, attention_mask=attention_mask),
            attention_mask,
        )


@torch.no_grad()
@pytest.mark.parametrize("family", [gpt2, llama])
def test_triggers_are_the_largest_matches_of_the_whole_corpus(family, tmp_path):
    theirs, ours, narrow = family(tmp_path)
    matches = [[] for _ in narrow]
    for number, layer in enumerate(narrow):
        layer.register_forward_pre_hook(lambda _, given, number=number: matches[number].append(given[0][0]))
    some = texts()
    for one in some:
        theirs(one[None])
    found = triggers(ours, calls(ours, some, 5), k=4)
    assert list(found) == ["decoder.0", "decoder.1"]
    where = [(text, position) for text, one in enumerate(some) for position in range(len(one))]
    for layer, layer_name in enumerate(found):
        every = torch.cat(matches[layer])  # (tokens, units)
        best = every.topk(4, dim=0)
        assert_close(found[layer_name].match, best.values.T, rtol=1e-4, atol=1e-5)
        for unit in range(0, every.shape[1], 7):
            assert [one[1:] for one in found[layer_name].of(unit)] == [
                where[at] for at in best.indices[:, unit].tolist()
            ]


@torch.no_grad()
def test_the_size_of_batches_does_not_matter_and_no_batch_is_refused(tmp_path):
    _, ours, _ = gpt2(tmp_path)
    one, other = (triggers(ours, calls(ours, texts(), size), "decoder.1", k=3)["decoder.1"] for size in (1, 12))
    assert_close(one.match, other.match, rtol=1e-4, atol=1e-5)
    assert torch.equal(one.text, other.text)
    with pytest.raises(RegardError, match="got no batch"):
        triggers(ours, [])


def test_fewer_tokens_than_k_leave_gaps(tmp_path):
    _, ours, _ = gpt2(tmp_path)
    found = triggers(ours, calls(ours, [torch.tensor([3, 4])], 1), k=5)["decoder.0"]
    assert len(found.of(0)) == 2
    assert (found.text[:, 2:] == -1).all()


def test_a_block_that_serves_three_depths_is_told_apart():
    model, _, _ = made("albert")
    found = triggers(model, calls(model, texts(), 4), k=2)
    assert list(found) == ["encoder.0", "encoder.1", "encoder.2"]
    assert not torch.equal(found["encoder.0"].match, found["encoder.2"].match)


@torch.no_grad()
def test_values_promote_the_words_that_they_point_to(tmp_path, monkeypatch):
    theirs, ours, narrow = gpt2(tmp_path)
    monkeypatch.setattr(memories, "ROWS", 5 * WORDS)
    found = promoted_tokens(ours, "decoder.1", k=6)
    expected = ((narrow[1].weight * theirs.transformer.ln_f.weight) @ theirs.lm_head.weight.T).topk(6)
    assert_close(found.scores, expected.values, rtol=1e-4, atol=1e-5)
    assert (found.words == expected.indices).float().mean() > 0.99
    assert promoted_tokens(ours, "decoder.1", [4, 2], k=6).words.tolist() == found.words[[4, 2]].tolist()
    assert promoted_tokens(ours, "decoder.1", 4, k=6).words.tolist() == found.words[[4]].tolist()
    with pytest.raises(RegardError, match="there is no unit 999"):
        promoted_tokens(ours, "decoder.1", [999])


def test_values_of_a_side_that_writes_nothing_are_refused():
    model, _, _ = made("t5")
    with pytest.raises(UnknownName, match=r"encoder.0 is not followed by the output: known: decoder.0, decoder.1"):
        promoted_tokens(model, "encoder.0")
