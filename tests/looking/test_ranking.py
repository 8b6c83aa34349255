"""The lowest go, and every layer keeps its best."""

import pytest
import torch
from looking.families import made

import regard
from regard.errors import RegardError
from regard.looking import weakest


def test_the_lowest_of_all_layers_go():
    scores = {"decoder.0.self": torch.tensor([4.0, 1, 3, 2]), "decoder.1.self": torch.tensor([8.0, 7, 6, 5])}
    model = made("gpt2")[0]
    assert weakest(model, scores, 0.75) == {"decoder.0.self": [1, 3]}
    assert weakest(model, scores, 0.5) == {"decoder.0.self": [1, 2, 3], "decoder.1.self": [3]}  # its best stays
    assert weakest(model, scores, 1.0) == {}
    assert weakest(model, scores, 0.01) == {"decoder.0.self": [1, 2, 3], "decoder.1.self": [1, 2, 3]}


def test_heads_are_called_by_the_numbers_of_the_whole_model():
    model = regard.prune(made("gpt2")[0], {"decoder.0.self": [0, 2]})
    scores = {"decoder.0.self": torch.tensor([1.0, 9.0]), "decoder.1.self": torch.tensor([8.0, 7, 6, 5])}
    gone = weakest(model, scores, 5 / 6)
    assert gone == {"decoder.0.self": [1]}
    assert regard.prune(model, gone).decoder.stack.blocks[0].self.split.remaining_heads == (3,)


def test_the_names_of_a_shared_layer_are_ranked_together():
    model = made("albert")[0]
    scores = {f"encoder.{layer}.self": torch.tensor([1.0, 2, 3, 4]).roll(int(layer == 2)) for layer in range(3)}
    # 1 + 1 + 4, 2 + 2 + 1, 3 + 3 + 2, 4 + 4 + 3
    assert weakest(model, scores, 0.75) == {layer: [1] for layer in scores}
    regard.prune(model, weakest(model, scores, 0.5))


@pytest.mark.parametrize("keep", [0, -1, 1.5])
def test_a_share_is_above_0_and_at_most_1(keep):
    with pytest.raises(RegardError, match="a share of heads above 0 and up to 1 can stay, got"):
        weakest(made("gpt2")[0], {}, keep)


def test_a_model_without_such_layers_is_refused():
    with pytest.raises(RegardError, match="has no layer that heads could be taken out of"):
        weakest(torch.nn.TransformerEncoderLayer(8, 2), {}, 0.5)
