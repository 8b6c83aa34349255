"""Families that attend each in a way of their own, watched: their bits, their own weights, their names, their edits."""

import pytest
import torch
import torch.nn.functional as F
from looking.live.own_ways import FAMILIES, FRAMES, LENGTH, implementations, inputs, is_pair, model_of, without_a_head
from torch import Tensor
from torch.testing import assert_close

import regard
from regard.attention import Dot, Sink, SoftCap
from regard.errors import RegardError

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")  # DeBERTa
NEW_TOKENS, HIDDEN = 4, 2
CLOSE = {"rtol": 0, "atol": 1e-5}
PAIR = {
    "encoder_attentions": "encoder.{}.self",
    "decoder_attentions": "decoder.{}.self",
    "cross_attentions": "decoder.{}.cross",
}
CASES = [(name, padding) for name, family in FAMILIES.items() for padding in family.paddings]
LIKE_LLAMA = ("pythia", "qwen3", "phi3", "opt", "olmo2", "mbart", "pegasus")  # written by in test_matrix.py, too
WRITERS = [
    pytest.param(name, marks=[pytest.mark.proof] if name in LIKE_LLAMA else [])
    for name, family in FAMILIES.items()
    if family.generates
]
SCORES = (
    "falcon-alibi",
    "gptj",
    "gpt_neo",
    "codegen",
    "bloom",
    "mpt",
    "xglm",
    "xlnet",
    "mpnet",
    "roformer",
    "deberta-v2",
)
"""Families that are met at a softmax of their own, where queries, keys and values are not known."""


def attentions(name):
    """What a family calls the weights that it hands out, and what their layers are called here."""
    return PAIR if is_pair(model_of(name, "eager")) else {"attentions": FAMILIES[name].side + ".{}.self"}


def first(output):
    """The tensor that matters most in what a model puts out."""
    return output.logits if "logits" in output else output[0]


def counts(layer, given):
    """Which queries of a layer are tokens: (batch, queries), or None for all."""
    written = layer.startswith("decoder") and "decoder_input_ids" in given
    return None if written or "attention_mask" not in given else given["attention_mask"].bool()


def check_weights(seen, layer, weights, queries, call=-1):
    """The weights of a call are those that the family hands out, in the rows of tokens."""
    mine = seen.all(layer)[call].weights()
    theirs = weights[..., : mine.shape[-1]]
    assert not weights[..., mine.shape[-1] :].any()
    if queries is not None:
        mine, theirs = (some.transpose(1, 2)[queries] for some in (mine, theirs))
    assert_close(mine, theirs, **CLOSE)


@pytest.mark.parametrize(("name", "padding"), CASES)
def test_a_family_keeps_its_bits_and_shows_the_weights_that_it_hands_out(name, padding):
    given = inputs(name, padding)
    with torch.no_grad():
        expected = model_of(name, "eager")(**given, output_attentions=True)
    for implementation in implementations(name):
        model = model_of(name, implementation)
        with torch.no_grad():
            plain = first(model(**given))
            with regard.watch(model) as seen:
                watched = first(model(**given))
        assert torch.equal(watched, plain)
        names = {layer.format(depth) for layer in attentions(name).values() for depth in range(2)}
        assert set(regard.watchable(model).names) == names
        for attribute, layer in attentions(name).items():
            assert len(expected[attribute]) == 2
            for depth, weights in enumerate(expected[attribute]):
                check_weights(seen, layer.format(depth), weights, counts(layer, given))


@pytest.mark.parametrize("name", WRITERS)
def test_a_generation_with_a_cache_shows_the_weights_of_every_step(name):
    family = FAMILIES[name]
    given = inputs(name, family.paddings[-1])
    prompt = {key: value for key, value in given.items() if key != "decoder_input_ids"}
    length = {"max_new_tokens": NEW_TOKENS, "min_new_tokens": NEW_TOKENS}
    how = {**length, "do_sample": False, "use_cache": True, "pad_token_id": 0}
    with torch.no_grad():
        told = {"output_attentions": True, "return_dict_in_generate": True}
        expected = model_of(name, "eager").generate(**prompt, **how, **told)
        for implementation in implementations(name):
            model = model_of(name, implementation)
            plain = model.generate(**prompt, **how)
            with regard.watch(model) as seen:
                written = model.generate(**prompt, **how)
            assert torch.equal(written, plain)
            assert torch.equal(written, expected.sequences[:, -written.shape[1] :])  # some leave out their prompt
            for attribute, layer in attentions(name).items():
                steps = [expected[attribute]] if attribute == "encoder_attentions" else expected[attribute]
                assert len(seen.all(layer.format(1))) == len(steps)
                for step, layers in enumerate(steps):
                    queries = counts(layer, given) if step == 0 else None
                    for depth, weights in enumerate(layers):
                        check_weights(seen, layer.format(depth), weights, queries, step)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_head_that_is_off_is_one_that_the_output_projection_does_not_read(name):
    given = inputs(name, FAMILIES[name].paddings[0])
    layer = f"{FAMILIES[name].side}.1.self"
    with torch.no_grad():
        expected = first(without_a_head(name, 1)(**given))
        for implementation in implementations(name):
            model = model_of(name, implementation)
            with regard.edit(model) as edit:
                edit.head(layer, 1).off()
                edited = first(model(**given))
            assert_close(edited, expected, rtol=1e-5, atol=1e-4)
            assert (first(model(**given)) - expected).abs().max() > 1e-2


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in SCORES])
def test_weights_times_values_are_what_the_output_projection_reads(name):
    model, given = model_of(name, implementations(name)[0]), inputs(name, FAMILIES[name].paddings[0])
    read = []
    projection = model.get_submodule(FAMILIES[name].projection)
    hook = projection.register_forward_pre_hook(lambda _, given: read.append(given[0]))
    with torch.no_grad(), regard.watch(model, values=True) as seen:
        model(**given)
    hook.remove()
    pattern = seen[f"{FAMILIES[name].side}.1.self"]
    values = pattern.values.repeat_interleave(pattern.shape[1] // pattern.values.shape[1], 1)
    gathered = (pattern.weights() @ values).transpose(1, 2).flatten(2)
    assert_close(gathered, read[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", SCORES)
def test_a_layer_that_is_met_at_its_softmax_has_no_values(name):
    model = model_of(name, "eager")
    with torch.no_grad(), regard.watch(model, values=True) as seen:
        model(**inputs(name, FAMILIES[name].paddings[0]))
    with pytest.raises(RegardError, match=r"has no values|values are not known"):
        _ = seen[f"{FAMILIES[name].side}.1.self"].values


def hiding(function):
    """A softmax that never looks at one column of what may be scores."""

    def softmax(scores: Tensor, *given, **named) -> Tensor:
        if scores.ndim >= 3 and scores.shape[-1] in (LENGTH, LENGTH + 1, FRAMES):
            scores = scores.clone()
            scores[..., HIDDEN] = -torch.inf
        return function(scores, *given, **named)

    return softmax


@pytest.mark.parametrize("name", FAMILIES)
def test_a_hidden_token_is_one_whose_score_is_minus_infinity(name, monkeypatch):
    given = inputs(name, FAMILIES[name].paddings[0])
    with torch.no_grad():
        with monkeypatch.context() as patch:
            for owner, function in ((F, "softmax"), (torch, "softmax"), (Tensor, "softmax")):
                patch.setattr(owner, function, hiding(getattr(owner, function)))
            expected = first(model_of(name, "eager")(**given))
        for implementation in implementations(name):
            model = model_of(name, implementation)
            with regard.edit(model) as edit:
                edit.hide([HIDDEN])
                edited = first(model(**given))
            assert_close(edited, expected, rtol=1e-5, atol=1e-4)
            assert (first(model(**given)) - expected).abs().max() > 1e-2


@pytest.mark.parametrize("padding", ["none", "right", "left"])
def test_falcon_with_alibi_is_seen_as_its_kernel_computes(padding, monkeypatch):
    model, given = model_of("falcon-alibi", "sdpa"), inputs("falcon-alibi", padding)
    computed, kernel = [], F.scaled_dot_product_attention

    def recorded(query, key, value, attn_mask, **named):
        scores = torch.einsum("bhqw,bhkw->bhqk", query, key) / query.shape[-1] ** 0.5 + attn_mask
        computed.append(scores.softmax(-1))
        return kernel(query, key, value, attn_mask, **named)

    with torch.no_grad():
        with monkeypatch.context() as patch:
            patch.setattr(F, "scaled_dot_product_attention", recorded)
            plain = model(**given).logits
        with regard.watch(model) as seen:
            assert torch.equal(model(**given).logits, plain)
    for depth, weights in enumerate(computed):
        check_weights(seen, f"decoder.{depth}.self", weights, counts("decoder", given))


def test_capped_scores_are_kept_as_queries_keys_and_a_cap():
    given, model = inputs("gemma2", "left"), model_of("gemma2", "eager")
    with torch.no_grad(), regard.watch(model, values=True) as seen:
        model(**given)
    for depth in range(2):
        pattern = seen[f"decoder.{depth}.self"]
        assert pattern.score == SoftCap(2.0, model.model.layers[depth].self_attn.scaling)
        assert pattern.query.shape[-1] == 8
        assert pattern.key.shape[1] == 2
        assert pattern.value is not None


def test_sinks_are_kept_as_the_logits_that_the_layer_has_learned():
    given, model = inputs("gpt_oss", "left"), model_of("gpt_oss", "eager")
    with torch.no_grad(), regard.watch(model, values=True) as seen:
        model(**given)
    for depth in range(2):
        pattern = seen[f"decoder.{depth}.self"]
        assert isinstance(pattern.score, Dot)
        assert isinstance(pattern.normaliser, Sink)
        assert torch.equal(pattern.normaliser.logits, model.model.layers[depth].self_attn.sinks)
        assert pattern.query.shape[-1] == 8
        assert (pattern.weights().sum(-1) < 1).all()


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.side == "encoder"])
@pytest.mark.parametrize("padding", ["none", "right"])
def test_who_reads_both_ways_looks_ahead_with_and_without_a_mask(name, padding):
    model, given = model_of(name, implementations(name)[0]), inputs(name, padding)
    with torch.no_grad(), regard.watch(model) as seen:
        model(**given)
    weights = seen["encoder.0.self"].weights()
    assert (weights[:, :, 0, 1] > 0).all()
    assert (weights[1, :, 4:6, 6] == 0).all() == (padding == "right")


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.side == "decoder"])
def test_who_writes_never_looks_ahead(name):
    model, given = model_of(name, implementations(name)[0]), inputs(name, FAMILIES[name].paddings[0])
    with torch.no_grad(), regard.watch(model) as seen:
        model(**given)
    for depth in range(2):
        assert not seen[f"decoder.{depth}.self"].weights().triu(1).any()
