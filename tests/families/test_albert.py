import pytest
import torch
from parity import encoder_parity, padded, positions, reference, refused, transformers

import regard
from regard.checkpoints import CheckpointError, load_model

KINDS = ["Model", "ForMaskedLM", "ForPreTraining", "ForSequenceClassification", "ForTokenClassification"]


def config(**changes):
    small = {
        "vocab_size": 61, "embedding_size": 10, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 3,
        "intermediate_size": 40, "max_position_embeddings": 32, "type_vocab_size": 3,
    }  # fmt: skip
    return transformers.AlbertConfig(**(small | changes))


def told(tokens, attention_mask):
    segments = tokens % 3
    return {"position_ids": positions(attention_mask), "token_type_ids": segments}, {"segments": segments}


@pytest.mark.parametrize("kind", KINDS)
def test_albert_equals_the_reference(kind, tmp_path):
    model = getattr(transformers, f"Albert{kind}")(config())
    encoder_parity(model, tmp_path, logits="prediction_logits" if kind == "ForPreTraining" else "logits", told=told)


@pytest.mark.parametrize(
    "changes",
    [
        {"num_hidden_layers": 1, "hidden_act": "relu"},
        {"num_hidden_layers": 5, "num_hidden_groups": 2},
        {"num_hidden_groups": 3, "tie_word_embeddings": False},
    ],
)
def test_odd_configs_equal_the_reference(changes, tmp_path):
    encoder_parity(transformers.AlbertForMaskedLM(config(**changes)), tmp_path, told=told)


def test_layers_of_a_group_are_one(tmp_path):
    reference(transformers.AlbertModel(config(num_hidden_layers=5, num_hidden_groups=2)), tmp_path)
    blocks = load_model(tmp_path).model.encoder.stack.blocks
    assert [block is blocks[0] for block in blocks] == [True, True, True, False, False]
    assert blocks[3] is blocks[4]


def test_one_depth_of_a_shared_layer_can_be_watched_alone(tmp_path):
    model = reference(transformers.AlbertModel(config()), tmp_path)
    tokens, attention_mask = padded(2, "right", 61)
    expected = model(tokens, attention_mask=attention_mask.long(), output_attentions=True).attentions
    loaded = load_model(tmp_path).model
    for depth in range(3):
        with regard.watch(loaded, f"encoder.{depth}.self") as seen:
            loaded(tokens, attention_mask=attention_mask)
        assert len(seen.all(f"encoder.{depth}.self")) == 1
        torch.testing.assert_close(seen[f"encoder.{depth}.self"].weights(), expected[depth], rtol=0, atol=1e-6)


def test_one_depth_of_a_shared_layer_can_be_edited_alone(tmp_path):
    reference(transformers.AlbertModel(config()), tmp_path)
    loaded = load_model(tmp_path).model
    tokens, attention_mask = padded(2, "right", 61)
    with regard.edit(loaded) as edit, regard.watch(loaded) as seen:
        edit.head("encoder.1.self", 0).temperature(3.0)
        loaded(tokens, attention_mask=attention_mask)
    with regard.watch(loaded) as plain:
        loaded(tokens, attention_mask=attention_mask)
    torch.testing.assert_close(seen["encoder.0.self"].weights(), plain["encoder.0.self"].weights())
    again = seen["encoder.2.self"]  # has other queries by now, tempered by nobody
    heads = loaded.encoder.stack.blocks[2].self.projections(seen.stream("encoder.1"), None, None)
    torch.testing.assert_close(again.query, heads[0])


def test_what_does_not_fit_is_named(tmp_path):
    refused(transformers.AlbertForMaskedLM(config()), tmp_path, {"inner_group_num": 2}, "predictions.dense.weight")


@pytest.mark.parametrize(
    ("layers", "groups", "shown"), [(3, 4, "1 to 3, the number of layers,"), (18, 14, "rounds unevenly")]
)
def test_groups_that_cannot_be_shared_out_are_refused(layers, groups, shown, tmp_path):
    reference(transformers.AlbertModel(config(num_hidden_layers=layers, num_hidden_groups=groups)), tmp_path)
    with pytest.raises(CheckpointError, match=f"num_hidden_groups = {groups}.*{shown}"):
        load_model(tmp_path)
