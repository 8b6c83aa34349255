"""Also tests: models/speech.py, layers/frame_embedding.py."""

import json

import pytest
import torch
from parity import comes_back, reference, transformers
from torch.testing import assert_close

import regard
from regard.checkpoints import CheckpointError, load_model, save_model
from regard.decoding import decode
from regard.errors import ShapeError
from regard.models.speech import sinusoids


def config(**changes):
    small = {
        "vocab_size": 61, "d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 40, "decoder_ffn_dim": 32, "max_source_positions": 9,
        "max_target_positions": 16, "num_mel_bins": 6, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
        "decoder_start_token_id": 1, "begin_suppress_tokens": None,
    }  # fmt: skip
    return transformers.WhisperConfig(**(small | changes))


def heard(batch=3, seed=0):
    generator = torch.Generator().manual_seed(seed)
    features = torch.randn(batch, 6, 18, generator=generator)
    return features, torch.randint(3, 61, (batch, 7), generator=generator)


def whisper(folder, kind="WhisperForConditionalGeneration", **changes):
    """A model of transformers with weights so large that each matters, and ours that was loaded from its folder."""
    model = getattr(transformers, kind)(config(**changes))
    return reference(model, folder), load_model(folder)


CHANGES = [
    {},
    {"activation_function": "relu", "scale_embedding": True, "encoder_layers": 1, "tie_word_embeddings": False},
]


@pytest.mark.parametrize("changes", CHANGES)
@pytest.mark.parametrize("kind", ["WhisperForConditionalGeneration", "WhisperModel"])
def test_whisper_equals_the_reference(kind, changes, tmp_path):
    model, loaded = whisper(tmp_path, kind, **changes)
    features, target = heard()
    expected = model(
        input_features=features, decoder_input_ids=target, output_attentions=True, output_hidden_states=True
    )
    answer = expected.logits if "logits" in expected else expected.last_hidden_state
    with regard.watch(loaded.model) as seen:
        ours = loaded.model(features, target)
    assert_close(ours, answer, rtol=0, atol=1e-5)
    for side in ("encoder", "decoder"):
        for layer, weights in enumerate(expected[f"{side}_attentions"]):
            assert_close(seen[f"{side}.{layer}.self"].weights(), weights, rtol=0, atol=1e-6)
    for layer, weights in enumerate(expected.cross_attentions):
        assert_close(seen[f"decoder.{layer}.cross"].weights(), weights, rtol=0, atol=1e-6)
    assert_close(seen.stream("decoder.0"), expected.decoder_hidden_states[1], rtol=0, atol=1e-5)
    comes_back(loaded, model, tmp_path / "again")


def test_gradients_are_those_of_the_reference_and_keys_learn_no_bias(tmp_path):
    model, loaded = whisper(tmp_path)
    features, target = heard()
    model(input_features=features, decoder_input_ids=target).logits.logsumexp(-1).sum().backward()
    loaded.model(features, target).logsumexp(-1).sum().backward()
    theirs, ours = model.model.encoder.layers[0].self_attn, loaded.model.encoder.stack.blocks[0].self.qkv
    for projection, rows in (("q_proj", slice(0, 24)), ("v_proj", slice(48, 72))):
        assert_close(ours.bias.grad[rows], getattr(theirs, projection).bias.grad, rtol=1e-4, atol=1e-4)
    for number, projection in enumerate(("q_proj", "k_proj", "v_proj")):
        expected = getattr(theirs, projection).weight.grad
        assert_close(ours.weight.grad[24 * number : 24 * number + 24], expected, rtol=1e-4, atol=1e-4)
    assert not ours.bias.grad[24:48].any()
    assert not loaded.model.decoder.stack.blocks[1].cross.kv.bias.grad[:24].any()
    first = loaded.model.encoder.embedding.convolutions[0].weight
    assert_close(first.grad, model.model.encoder.conv1.weight.grad, rtol=1e-4, atol=1e-4)
    assert not loaded.model.encoder.position.table.weight.requires_grad


def test_what_is_written_with_a_cache_is_what_the_reference_writes(tmp_path):
    model, loaded = whisper(tmp_path)
    features, _ = heard()
    tokens, cache, expected = torch.ones(3, 1, dtype=torch.long), None, []
    with torch.no_grad():
        for _ in range(8):
            result = model(
                input_features=features, decoder_input_ids=tokens[:, -1:], past_key_values=cache, use_cache=True
            )
            cache, best = result.past_key_values, result.logits[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat([tokens, best], 1)
        expected = tokens[:, 1:].tolist()
    prefix = torch.ones(3, 1, dtype=torch.long)
    ours = decode(loaded.model, features, prefix=prefix, max_new_tokens=8, min_new_tokens=8)
    assert [list(result.best.ids) for result in ours] == expected
    beams = decode(loaded.model, features, prefix=prefix, max_new_tokens=8, min_new_tokens=8, beam=3)
    for one, many in zip(ours, beams, strict=True):
        assert many.best.score >= one.best.score - 1e-5


def test_a_step_is_a_column_of_the_whole(tmp_path):
    _, loaded = whisper(tmp_path)
    features, target = heard()
    with torch.no_grad():
        whole, state, steps = loaded.model(features, target), loaded.model.start(features), []
        for column in range(target.shape[1]):
            scores, state = loaded.model.step(state, target[:, column : column + 1])
            steps.append(scores)
    assert_close(torch.cat(steps, 1), whole, atol=1e-5, rtol=1e-4)


def test_heads_are_pruned_and_the_rest_is_saved_as_whisper(tmp_path):
    _, loaded = whisper(tmp_path)
    features, target = heard()
    with torch.no_grad():
        with regard.edit(loaded.model) as edit:
            edit.head("encoder.0.self", [1]).off()
            edit.head("decoder.1.cross", [0, 2]).off()
            expected = loaded.model(features, target)
        small = regard.prune(loaded.model, {"encoder.0.self": [1], "decoder.1.cross": [0, 2]})
        assert_close(small(features, target), expected, atol=1e-5, rtol=1e-4)
        save_model(small, tmp_path / "small", loaded.config, loaded.architecture)
        assert torch.equal(load_model(tmp_path / "small").model(features, target), small(features, target))


def test_the_positions_of_an_encoder_are_those_of_the_reference():
    theirs = transformers.models.whisper.modeling_whisper.sinusoids(9, 24)
    assert_close(sinusoids(9, 24), theirs, atol=1e-6, rtol=0)


def test_sound_that_does_not_fit_is_told(tmp_path):
    _, loaded = whisper(tmp_path)
    target = heard()[1]
    with pytest.raises(ShapeError, match="a frame has 5 features, expected 6"):
        loaded.model(torch.randn(3, 5, 18), target)
    with pytest.raises(ShapeError, match="position 9 is past the 9 positions"):
        loaded.model(torch.randn(3, 6, 20), target)
    with pytest.raises(ShapeError, match=r"source is features of \(batch, 6, frames\), got torch.int64 of \(3, 7\)"):
        decode(loaded.model, target, prefix=target[:, :1])
    with pytest.raises(ShapeError, match="heard whole"):
        loaded.model.start(torch.randn(3, 6, 18), torch.ones(3, 9, dtype=torch.bool))


@pytest.mark.parametrize("change", [{"num_mel_bins": 0}, {"news": 1}, {"d_model": 25}])
def test_what_does_not_fit_is_named(change, tmp_path):
    transformers.WhisperModel(config()).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CheckpointError, match="25" if "d_model" in change else next(iter(change))):
        load_model(tmp_path)
