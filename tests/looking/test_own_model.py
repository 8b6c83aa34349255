"""Lens, tables, composition, memories and probes of a live model are those of the model saved and loaded, and follow
from its weights by plain formulas."""

import pytest
import torch
from checkpoints.test_live import live_model
from looking.activations.zoo import model_of
from torch.testing import assert_close

from regard.checkpoints import load_model
from regard.errors import RegardError
from regard.looking.attribution import attribute
from regard.looking.circuits import circuits
from regard.looking.composition import composition
from regard.looking.lens import lens
from regard.looking.memories import promoted_tokens, triggers
from regard.looking.probes import probe
from regard.looking.tables import HeadTable

transformers = pytest.importorskip("transformers")
READERS = ["gpt2", "llama", "gpt_neox", "olmo2", "gemma2", "bert"]
WRITERS = ["marian", "t5"]
NO_SCORES = ("olmo2",)  # queries and keys are normalised: QK is no product
DENSE = ("bert",)  # a dense layer before the output: OV is no table of words
TOKENS = torch.randint(3, 30, (2, 7), generator=torch.Generator().manual_seed(0))
TARGET = torch.randint(3, 30, (2, 5), generator=torch.Generator().manual_seed(1))


def both(kind, folder):
    """The live model with its inputs, and the same from its folder with its own."""
    live = live_model(kind, folder)
    own = load_model(folder).model
    if kind in WRITERS:
        return (live, {"input_ids": TOKENS, "decoder_input_ids": TARGET}), (own, {"source": TOKENS, "target": TARGET})
    return (live, {"input_ids": TOKENS}), (own, {"tokens": TOKENS})


@pytest.mark.parametrize("kind", READERS + WRITERS)
def test_a_live_model_is_looked_into_as_the_loaded_one_is(kind, tmp_path):
    (live, inputs), (own, own_inputs) = both(kind, tmp_path)
    one, other = lens(live, **inputs), lens(own, **own_inputs)
    assert one.blocks == other.blocks
    assert_close(one.probabilities, other.probabilities, rtol=1e-4, atol=1e-5)
    side, kinds = one.blocks[0].partition(".")[0], composition(own).scores
    assert set(kinds) == ({"value"} if kind in NO_SCORES else {"query", "key", "value"})
    for name, pairs in composition(live).scores.items():
        for pair, grid in pairs.items():
            assert torch.equal(grid, kinds[name][pair])
    for table in ["qk"] * (kind not in NO_SCORES) + ["ov"] * (kind not in DENSE):
        found, expected = (HeadTable.of(model, f"{side}.1.self", 1, table) for model in (live, own))
        assert_close(found.left @ found.right.T, expected.left @ expected.right.T)
    assert torch.equal(promoted_tokens(live, f"{side}.0").scores, promoted_tokens(own, f"{side}.0").scores)
    mask = torch.ones_like(TARGET if kind in WRITERS else TOKENS, dtype=torch.bool)
    matches = [
        triggers(model, [(lambda model=model, given=given: model(**given), mask)], f"{side}.1", k=2)[f"{side}.1"].match
        for model, given in ((live, inputs), (own, own_inputs))
    ]
    assert_close(*matches, rtol=1e-3, atol=1e-4)
    scores = [circuits(live, **inputs).scores, circuits(own, *own_inputs.values()).scores]
    for name, layers in scores[0].items():
        for layer, row in layers.items():
            assert_close(row, scores[1][name][layer], rtol=1e-3, atol=1e-4)


def test_a_probe_of_a_live_model_is_that_of_the_loaded_one(tmp_path):
    (live, _), (own, _) = both("llama", tmp_path)
    labels = TOKENS % 2
    found = probe(live, [({"input_ids": TOKENS}, labels)], [({"input_ids": TOKENS}, labels)])
    expected = probe(own, [(TOKENS, labels)], [(TOKENS, labels)])
    assert found.accuracy == expected.accuracy


@torch.no_grad()
def test_qk_ov_and_composition_by_the_formulas_of_the_paper():
    live = model_of("live gpt2")
    width, heads = 16, 4
    weights = []
    for block in live.transformer.h:
        gain = block.ln_1.weight
        query, key, value = (part.T * gain for part in block.attn.c_attn.weight.split(width, 1))
        output = block.attn.c_proj.weight  # (heads x head width, width): rows are what heads put out
        weights.append([(query[rows], key[rows], value[rows], output[rows].T)
                        for rows in (slice(4 * head, 4 * head + 4) for head in range(heads))])  # fmt: skip
    embedding = live.transformer.wte.weight
    centred = embedding - embedding.mean(-1, keepdim=True)
    x = centred / (centred.square().mean(-1, keepdim=True) + 1e-6).sqrt()
    query, key, value, output = weights[1][2]
    assert_close(HeadTable.of(live, "decoder.1.self", 2, "qk").to_numpy(),
                 (x @ query.T @ key @ x.T / 2).numpy(), rtol=1e-3, atol=1e-4)  # fmt: skip
    unembed = live.lm_head.weight * live.transformer.ln_f.weight
    table = HeadTable.of(live, "decoder.1.self", 2, "ov")
    whole = x @ value.T @ output.T @ unembed.T
    assert_close(table.to_numpy(), whole.numpy(), rtol=1e-3, atol=1e-4)
    found = table.svd(3)
    u, singular, v = torch.linalg.svd(whole.double())
    assert_close(found.values, singular[:3].float(), rtol=1e-4, atol=1e-5)
    assert_close(found.left[:, 0].abs(), u[:, 0].abs().float(), rtol=1e-3, atol=1e-4)
    assert_close(found[0].right.abs(), v[0].abs().float(), rtol=1e-3, atol=1e-4)
    norm = torch.linalg.norm
    grid = composition(live).scores["key"]["decoder.1.self", "decoder.0.self"]
    for later in range(heads):
        q, k, _, _ = weights[1][later]
        for earlier in range(heads):
            _, _, v0, o0 = weights[0][earlier]
            expected = norm(q.T @ k @ o0 @ v0) / (norm(q.T @ k) * norm(o0 @ v0))
            assert float(grid[later, earlier]) == pytest.approx(float(expected), rel=1e-4)


@torch.no_grad()
def test_ov_of_a_layer_that_normalises_what_it_writes_has_the_gain_of_that_norm(tmp_path):
    (live, _), _ = both("gemma2", tmp_path)
    layer = live.model.layers[0]
    width = live.config.head_dim
    value = layer.self_attn.v_proj.weight[:width] * (1 + layer.input_layernorm.weight)
    output = (1 + layer.post_attention_layernorm.weight)[:, None] * layer.self_attn.o_proj.weight[:, :width]
    embedding = live.model.embed_tokens.weight * live.config.hidden_size**0.5
    x = embedding / (embedding.square().mean(-1, keepdim=True) + 1e-6).sqrt()
    expected = x @ value.T @ output.T @ (live.lm_head.weight * (1 + live.model.norm.weight)).T
    table = HeadTable.of(live, "decoder.0.self", 0, "ov")
    assert_close(table.left @ table.right.T, expected, rtol=1e-3, atol=1e-4)


def test_a_live_model_of_another_family_is_refused_in_one_line():
    config = transformers.GPTJConfig(vocab_size=40, n_embd=16, n_layer=2, n_head=2, rotary_dim=4)
    with pytest.raises(RegardError, match=r"^the weights of a live GPTJForCausalLM cannot be read: .*gptj"):
        composition(transformers.GPTJForCausalLM(config))


def whisper():
    sizes = {f"{side}_{what}": size for side in ("encoder", "decoder")
             for what, size in {"layers": 2, "attention_heads": 4, "ffn_dim": 24}.items()}  # fmt: skip
    tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    config = transformers.WhisperConfig(
        vocab_size=50, num_mel_bins=8, d_model=16, max_source_positions=10, max_target_positions=20, **sizes, **tokens
    )
    torch.manual_seed(0)
    inputs = {"input_features": torch.randn(2, 8, 20), "decoder_input_ids": torch.randint(3, 50, (2, 5))}
    return transformers.WhisperForConditionalGeneration(config).eval(), inputs


def blenderbot():
    sizes = {f"{side}_{what}": size for side in ("encoder", "decoder")
             for what, size in {"layers": 2, "attention_heads": 4, "ffn_dim": 24}.items()}  # fmt: skip
    tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    config = transformers.BlenderbotConfig(vocab_size=50, d_model=16, max_position_embeddings=20, **sizes, **tokens)
    torch.manual_seed(0)
    inputs = {"input_ids": torch.randint(3, 50, (2, 7)), "decoder_input_ids": torch.randint(3, 50, (2, 5))}
    return transformers.BlenderbotForConditionalGeneration(config).eval(), inputs


@torch.no_grad()
def test_the_lens_reads_a_live_model_of_a_family_that_is_not_loaded():
    live, inputs = blenderbot()
    output = live(**inputs, output_hidden_states=True)
    found = lens(live, **inputs)
    assert found.blocks == ("decoder.0", "decoder.1")
    first = live.lm_head(live.model.decoder.layer_norm(output.decoder_hidden_states[1])).softmax(-1)
    assert_close(found.probabilities[0], first.topk(5).values)
    assert_close(found.probabilities[1], output.logits.softmax(-1).topk(5).values)
    live.model.decoder.layer_norm.register_forward_hook(lambda module, args, x: x * 2)
    with pytest.raises(RegardError, match="last steps of this live model are not known"):
        lens(live, **inputs)


def test_frames_of_sound_get_scores_from_attention_gradients():
    live, inputs = whisper()
    scores = attribute(live, inputs, lambda logits: logits[0, -1, 7], "attention_gradient").scores
    assert scores["encoder"].shape == (2, 10)
    assert scores["decoder"].shape == (2, 5)
    assert scores["encoder"][0].abs().max() > 0
    assert scores["encoder"][1].eq(0).all()  # the other text has nothing to do with it
