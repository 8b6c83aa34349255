"""What of a model can be watched is said before anything runs."""

import pytest
from torch import nn

import regard
from regard.errors import RegardError

transformers = pytest.importorskip("transformers")


def longt5():
    return transformers.LongT5ForConditionalGeneration(
        transformers.LongT5Config(
            vocab_size=61, d_model=16, d_kv=4, d_ff=24, num_layers=2, num_heads=2, local_radius=3,
        )
    ).eval()  # fmt: skip


def test_every_layer_of_a_model_that_can_be_watched_is_listed():
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=61, n_embd=16, n_layer=2, n_head=2))
    listed = regard.watchable(model)
    assert listed.names == ["decoder.0.self", "decoder.1.self"]
    assert not listed.left_out
    assert [layer.module for layer in listed] == ["GPT2Attention"] * 2


def test_what_cannot_be_watched_has_its_reason():
    listed = regard.watchable(longt5())
    assert listed.names == ["decoder.0.self", "decoder.0.cross", "decoder.1.self", "decoder.1.cross"]
    assert set(listed.left_out) == {"encoder.0.self", "encoder.1.self"}
    assert "in blocks" in listed.left_out["encoder.0.self"]
    assert "in blocks" in repr(listed)


def test_watching_warns_of_what_it_leaves_out():
    message = r"not watched: encoder\.0\.self, encoder\.1\.self: .*in blocks"
    with pytest.warns(UserWarning, match=message), regard.watch(longt5()):
        pass
    with regard.watch(longt5(), "decoder.*"):  # nobody asked for the encoder
        pass


def test_what_is_told_from_all_layers_is_refused_where_some_cannot_be_watched():
    import torch

    from regard.looking import rollout

    model, tokens = longt5(), torch.randint(5, 61, (1, 9))
    with pytest.warns(UserWarning, match="not watched"), regard.watch(model) as seen, torch.no_grad():
        model(input_ids=tokens, decoder_input_ids=tokens)
    with pytest.raises(RegardError, match=r"encoder\.0\.self cannot be watched"):
        rollout(seen)


def test_a_model_without_attention_is_listed_as_that():
    assert repr(regard.watchable(nn.Linear(2, 2))) == "no attention layer"
    assert len(regard.watchable(nn.Linear(2, 2))) == 0


def test_our_own_models_are_listed_too():
    model = regard.load("shakespeare").model
    assert regard.watchable(model).names == [f"decoder.{number}.self" for number in range(5)]
