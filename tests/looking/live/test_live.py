"""Live models of transformers under watch and edit, against their own eager weights.

Also tests: looking/live/calls.py, looking/live/hooks.py, looking/live/intercept.py, looking/live/interface.py.
"""

import pytest
import torch

import regard
from regard.errors import RegardError, UnknownName

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()

BERT = {
    "vocab_size": 61, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24,
    "max_position_embeddings": 32,
}  # fmt: skip
BART = {
    "vocab_size": 61, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
    "decoder_attention_heads": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24,
}  # fmt: skip
LLAMA = {
    "vocab_size": 61, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 24,
}  # fmt: skip


def bert():
    return transformers.BertForMaskedLM(transformers.BertConfig(**BERT))


def albert():
    shared = BERT | {"num_hidden_layers": 4, "embedding_size": 8, "num_hidden_groups": 2}
    return transformers.AlbertForMaskedLM(transformers.AlbertConfig(**shared))


def gpt2():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=61, n_embd=16, n_layer=2, n_head=2))


def llama():
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA))


def t5():
    config = transformers.T5Config(vocab_size=61, d_model=16, d_kv=4, d_ff=24, num_layers=2, num_heads=2)
    return transformers.T5ForConditionalGeneration(config)


def bart():
    return transformers.BartForConditionalGeneration(transformers.BartConfig(**BART))


def pair():
    side = transformers.BertConfig(**BERT)
    both = transformers.EncoderDecoderConfig.from_encoder_decoder_configs(side, transformers.BertConfig(**BERT))
    return transformers.EncoderDecoderModel(both)


MODELS = {
    make.__name__: (make, which)
    for make, which in [
        (bert, {"encoder.{}.self": "attentions"}),
        (albert, {"encoder.{}.self": "attentions"}),
        (gpt2, {"decoder.{}.self": "attentions"}),
        (llama, {"decoder.{}.self": "attentions"}),
        *[
            (
                make,
                {
                    "encoder.{}.self": "encoder_attentions",
                    "decoder.{}.self": "decoder_attentions",
                    "decoder.{}.cross": "cross_attentions",
                },
            )
            for make in (t5, bart, pair)
        ],
    ]
}


def use(model, implementation):
    """Every submodule's own config: the library's setter misses some."""
    for module in model.modules():
        if hasattr(module, "config"):
            module.config._attn_implementation_internal = implementation


def made(name):
    torch.manual_seed(0)
    model = MODELS[name][0]().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    use(model, "sdpa")
    return model


def given(model, batch=2, length=9):
    tokens = torch.randint(5, 61, (batch, length), generator=torch.Generator().manual_seed(1))
    attention_mask = torch.ones(batch, length, dtype=torch.long)
    attention_mask[-1, 6:] = 0
    inputs = {"input_ids": tokens, "attention_mask": attention_mask}
    return inputs | (
        {"decoder_input_ids": tokens.flip(-1)} if model.config.is_encoder_decoder else {}
    ), attention_mask.bool()


@pytest.mark.parametrize("name", MODELS)
def test_patterns_equal_the_eager_weights_and_the_output_keeps_its_bits(name):
    model = made(name)
    inputs, attention_mask = given(model)
    with torch.no_grad():
        plain = model(**inputs).logits
        with regard.watch(model) as seen:
            watched = model(**inputs).logits
        use(model, "eager")
        expected = model(**inputs, output_attentions=True)
    assert torch.equal(watched, plain)
    for layer_name, attribute in MODELS[name][1].items():
        queries = attention_mask if layer_name.startswith("encoder") else torch.ones_like(attention_mask)
        for layer, weights in enumerate(expected[attribute]):
            found = seen[layer_name.format(layer)].weights().transpose(1, 2)[queries]
            torch.testing.assert_close(found, weights.transpose(1, 2)[queries], rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_streams_are_the_hidden_states(name):
    model = made(name)
    inputs, _ = given(model)
    with torch.no_grad(), regard.watch(model) as seen:
        out = model(**inputs, output_hidden_states=True)
    states = out.encoder_hidden_states if model.config.is_encoder_decoder else out.hidden_states
    first = "decoder.0" if name in ("gpt2", "llama") else "encoder.0"
    assert torch.equal(seen.stream(first), states[1])


@pytest.mark.parametrize("name", MODELS)
def test_a_head_switched_off_is_zero_before_the_output_projection(name):
    model = made(name)
    inputs, _ = given(model)
    layer = next(iter(MODELS[name][1])).format(0)
    with torch.no_grad():
        plain = model(**inputs).logits
        with regard.watch(model, layer, values=True) as seen, regard.edit(model) as edit:
            edit.head(layer, 1).off()
            edited = model(**inputs).logits
        again = model(**inputs).logits
    assert not torch.equal(edited, plain)
    assert torch.equal(again, plain)
    assert seen[layer].gate.tolist()[0][1] == 0


def test_a_gate_equals_cutting_the_head_out_of_the_output_projection():
    model = made("gpt2")
    inputs, _ = given(model)
    with torch.no_grad():
        with regard.edit(model) as edit:
            edit.head("decoder.1.self", 0).off()
            edited = model(**inputs).logits
        model.transformer.h[1].attn.c_proj.weight[:8] = 0
        torch.testing.assert_close(edited, model(**inputs).logits, rtol=0, atol=1e-6)


def test_an_edit_of_one_depth_leaves_the_others_that_share_its_layer():
    model = made("albert")
    inputs, _ = given(model)
    with torch.no_grad(), regard.watch(model) as seen, regard.edit(model) as edit:
        edit.head("encoder.1.self", 0).off()
        model(**inputs)
    assert [seen[f"encoder.{depth}.self"].gate is not None for depth in range(4)] == [False, True, False, False]


def test_the_implementation_is_restored_even_after_an_error():
    model = made("pair")
    before = [module.config._attn_implementation for module in model.modules() if hasattr(module, "config")]
    with pytest.raises(ZeroDivisionError), regard.watch(model):
        raise ZeroDivisionError
    after = [module.config._attn_implementation for module in model.modules() if hasattr(module, "config")]
    assert after == before
    assert not any("taps" in vars(module) for module in model.modules())


def test_generation_is_watched_step_by_step():
    model = made("gpt2")
    inputs, _ = given(model, batch=1)
    with torch.no_grad(), regard.watch(model, "decoder.0.self") as seen:
        model.generate(input_ids=inputs["input_ids"], max_new_tokens=4, do_sample=False, pad_token_id=0)
    steps = seen.all("decoder.0.self")
    assert [step.shape[2:] for step in steps] == [(9, 9), (1, 10), (1, 11), (1, 12)]
    whole = regard.Pattern.join(steps)
    torch.testing.assert_close(whole[0, :, -1], steps[-1][0, :, 0])


def test_a_layer_that_goes_its_own_way_is_an_error():
    model = made("bert")
    layer = model.bert.encoder.layer[1].attention.self
    layer.forward = lambda hidden, *_, **__: (hidden, None)
    inputs, _ = given(model)
    with pytest.raises(RegardError, match="called neither torch's fused attention nor a softmax"), regard.watch(model):
        model(**inputs)


def test_an_unknown_layer_lists_those_that_exist():
    with pytest.raises(UnknownName, match=r"encoder\.0\.self"), regard.watch(made("bert"), "encoder.7.self"):
        pass
