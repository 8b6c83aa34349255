import pytest
from parity import decoder_parity, transformers


def config(**changes):
    small = {
        "vocab_size": 61, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 32, "num_labels": 4,
        "pad_token_id": 0,
    }  # fmt: skip
    return transformers.OpenAIGPTConfig(**(small | changes))


@pytest.mark.parametrize("kind", ["Model", "LMHeadModel", "ForSequenceClassification"])
def test_the_first_gpt_equals_the_reference(kind, tmp_path):
    decoder_parity(getattr(transformers, f"OpenAIGPT{kind}")(config()), tmp_path)


@pytest.mark.parametrize("changes", [{"n_layer": 1}, {"afn": "swish"}, {"tie_word_embeddings": False}])
def test_odd_configs_equal_the_reference(changes, tmp_path):
    decoder_parity(transformers.OpenAIGPTLMHeadModel(config(**changes)), tmp_path)
