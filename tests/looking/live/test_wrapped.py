"""Live models as they are used: wrapped by peft, compiled, in half precision."""

import copy
import shutil

import pytest
import torch
from looking.live.comparisons import chosen, compare_weights, numbered
from looking.live.families import MAIN, build, model_of
from looking.live.runs import attention_mask_of, inputs
from looking.live.settings import Setting

import regard

SETTING = Setting("left", "no cache", "sdpa", "all", "forward")


def eager_weights(model, family, given):
    """Weights by kind, as a model's eager copy returns them."""
    with torch.no_grad():
        output = model(**given, output_attentions=True)
    kinds = {"encoder": "encoder_attentions", "decoder": "decoder_attentions", "cross": "cross_attentions"}
    if not family.is_pair:
        kinds = {"decoder" if family.writes else "encoder": "attentions"}
    return {kind: output[name] for kind, name in kinds.items()}


def compare(family, model, seen, weights, close=1e-5):
    """What was seen, and the eager weights of the same model."""
    for name, kind, (number,) in numbered(model, family):
        rows = attention_mask_of(family, SETTING, decoder=kind != "encoder")
        compare_weights(seen[name], weights[kind][number].float(), rows, name, close)


def rounding(family, weights, exact):
    """How far half precision takes the eager weights from those in full; two that are rounded differ by both."""
    differences = []
    for kind, layers in weights.items():
        rows = attention_mask_of(family, SETTING, decoder=kind != "encoder")
        for mine, theirs in zip(layers, exact[kind], strict=True):
            differences.append((mine.float() - theirs).transpose(1, 2)[rows].abs().max())
    return float(max(differences))


@pytest.mark.parametrize("name", MAIN)
@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
def test_output_attentions_returns_what_it_returns_unwatched(name, implementation):
    model, given = model_of(name, implementation), inputs(MAIN[name], SETTING)
    with torch.no_grad():
        plain = model(**given, output_attentions=True)
        with regard.watch(model):
            watched = model(**given, output_attentions=True)
        with regard.edit(model):
            edited = model(**given, output_attentions=True)
    assert watched.keys() == edited.keys() == plain.keys()
    for part in plain:
        if "attentions" in part:
            for other in (watched[part], edited[part]):
                assert len(other) == len(plain[part])
                for mine, theirs in zip(other, plain[part], strict=True):
                    assert mine is theirs is None or torch.equal(mine, theirs)


@pytest.mark.parametrize("name", MAIN)
def test_under_autocast_the_output_keeps_its_bits_and_weights_differ_by_rounding(name):
    family, model, given = MAIN[name], model_of(name, "sdpa"), inputs(MAIN[name], SETTING)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        plain = model(**given).logits
        with regard.watch(model) as seen:
            watched = model(**given).logits
        weights = eager_weights(model_of(name, "eager"), family, given)
    exact = eager_weights(model_of(name, "eager"), family, given)
    assert torch.equal(watched, plain)
    compare(family, model, seen, weights, close=2 * rounding(family, weights, exact))


@pytest.mark.parametrize("name", ["llama", "bert", "marian"])
def test_a_model_in_half_precision_keeps_its_bits(name):
    family = MAIN[name]
    model, other = (copy.deepcopy(model_of(name, kind)).bfloat16() for kind in ("sdpa", "eager"))
    given = inputs(family, SETTING)
    with torch.no_grad():
        plain = model(**given).logits
        with regard.watch(model) as seen:
            watched = model(**given).logits
    weights, exact = (eager_weights(one, family, given) for one in (other, model_of(name, "eager")))
    assert torch.equal(watched, plain)
    compare(family, model, seen, weights, close=2 * rounding(family, weights, exact))


def compiled_by(backend):
    if backend == "inductor" and not shutil.which("c++"):
        pytest.skip("no C++ compiler (c++) to compile with")
    return backend


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, of what it imports to compile
@pytest.mark.parametrize("backend", ["eager", pytest.param("inductor", marks=pytest.mark.proof)])
@pytest.mark.parametrize("name", ["llama", pytest.param("marian", marks=pytest.mark.proof)])
def test_a_compiled_model_is_watched_uncompiled_and_then_compiled_as_before(name, backend):
    family, model = MAIN[name], model_of(name, "sdpa")
    given = inputs(family, SETTING)
    compiled = torch.compile(model, backend=compiled_by(backend))
    try:
        with torch.no_grad():
            uncompiled = model(**given).logits
            plain = compiled(**given).logits
            with regard.watch(compiled) as seen:
                watched = compiled(**given).logits
            again = compiled(**given).logits
        weights = eager_weights(model_of(name, "eager"), family, given)
    finally:
        torch._dynamo.reset()
    assert torch.equal(watched, uncompiled)  # the very model that was compiled
    assert torch.equal(again, plain)
    torch.testing.assert_close(watched[seen_rows(family)], plain[seen_rows(family)], rtol=1e-5, atol=1e-5)
    compare(family, model, seen, weights)


def seen_rows(family):
    return attention_mask_of(family, SETTING, decoder=True)


@pytest.mark.parametrize("name", ["llama", "bert", "t5"])
def test_a_model_with_adapters_of_peft_is_watched_like_the_model_with_their_weights(name):
    peft = pytest.importorskip("peft", reason="peft (with accelerate) is not installed")
    family = MAIN[name]
    model = copy.deepcopy(model_of(name, "sdpa"))
    targets = {"llama": ["q_proj", "v_proj"], "bert": ["query", "value"], "t5": ["q", "v"]}[name]
    wrapped = peft.get_peft_model(model, peft.LoraConfig(r=2, target_modules=targets)).eval()
    torch.manual_seed(5)
    with torch.no_grad():
        for parameter_name, parameter in wrapped.named_parameters():
            if "lora" in parameter_name:
                parameter.normal_(std=0.3)
    given = inputs(family, SETTING)
    with torch.no_grad():
        plain = wrapped(**given).logits
        with regard.watch(wrapped) as seen:
            watched = wrapped(**given).logits
        with regard.watch(wrapped) as again, regard.edit(wrapped) as edit:
            edit.head(chosen(wrapped, "one")[0], 0).off()
            edited = wrapped(**given).logits
    assert torch.equal(watched, plain)
    assert not torch.equal(edited, plain)
    assert list(seen) == list(again)
    merged = copy.deepcopy(wrapped).merge_and_unload()
    merged.set_attn_implementation("eager")
    compare(family, merged, seen, eager_weights(merged, family, given))


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, of what it imports to compile
@pytest.mark.skipif(not shutil.which("c++"), reason="no C++ compiler (c++) to compile with")
def test_flex_attention_that_is_compiled_gives_what_it_gives_while_it_is_watched():
    model, given = build(MAIN["llama"], "flex_attention"), inputs(MAIN["llama"], SETTING)
    with torch.no_grad():
        plain = model(**given).logits
        with regard.watch(model) as seen:
            watched = model(**given).logits
    rows = seen_rows(MAIN["llama"])
    torch.testing.assert_close(watched[rows], plain[rows], rtol=1e-5, atol=1e-5)  # another kernel
    compare(MAIN["llama"], model, seen, eager_weights(model_of("llama", "eager"), MAIN["llama"], given))
