"""Values wider or narrower than keys: built, trained, saved, loaded, watched, decoded and pruned like others."""

from dataclasses import replace

import pytest
import torch
from diagram_examples import CONFIGS
from torch.nn import functional as F
from torch.testing import assert_close

import regard
from regard.architectures.inside import block_diagram
from regard.architectures.weights import count_weights
from regard.attention.efficient import ATTENTION_METHODS
from regard.checkpoints import CheckpointError, load_model, save_model
from regard.checkpoints.export.export_source import unsupported_of_stack
from regard.config import AttentionMethodConfig, HeadSplit
from regard.decoding import decode
from regard.engine import serve
from regard.errors import RecipeError, ShapeError
from regard.families import generic
from regard.families.recipe import DataSizes, ModelRecipe
from regard.layers import MultiHead
from regard.looking.composition import HeadWeights
from regard.models import build
from regard.training.model.model_plans import model_plan

WIDTHS = (3, 11)
NAMES = ("llama", "marian", "bert", "xl")


def with_values(config, width):
    changes = {}
    for name in ("encoder", "decoder"):
        if (side := getattr(config, name, None)) is not None:
            attention = replace(side.stack.attention, value_width=width)
            changes[name] = replace(side, stack=replace(side.stack, attention=attention))
    return replace(config, **changes)


def logits(model, tokens):
    return model(tokens, tokens) if isinstance(model, regard.models.Transformer) else model(tokens)


@pytest.fixture
def tokens():
    return torch.randint(2, 40, (2, 5))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_layer_is_the_formula_of_the_paper(width):
    layer, x = MultiHead(12, HeadSplit.of(12, 3, value_width=width)), torch.randn(2, 5, 12)
    query, key, value = F.linear(x, layer.qkv.weight, layer.qkv.bias).split([12, 12, 3 * width], -1)
    heads = [
        torch.softmax(query[..., 4 * h : 4 * h + 4] @ key[..., 4 * h : 4 * h + 4].mT / 2, -1)
        @ value[..., width * h : width * (h + 1)]
        for h in range(3)
    ]
    assert_close(layer(x), layer.output(torch.cat(heads, -1)))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("source_width", [None, 7])
def test_pruning_cuts_the_same_heads_as_switching_them_off(width, source_width):
    split = HeadSplit.of(12, 4, kv_heads=2, value_width=width)
    layer, x = MultiHead(12, split, source_width=source_width), torch.randn(2, 5, 12)
    source = () if source_width is None else (torch.randn(2, 6, 7),)
    with torch.no_grad():
        layer.output.weight.unflatten(1, (4, width))[:, [0, 2]] = 0  # what these heads gather is not read
    expected = layer(x, *source)
    layer.keep((1, 3))
    assert layer.output.weight.shape == (12, 2 * width)
    assert_close(layer(x, *source), expected)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_saved_and_loaded_in_the_generic_layout(name, width, tokens, tmp_path):
    config = with_values(CONFIGS[name], width)
    model = build(config).eval()
    assert sum(weight.numel() for weight in model.parameters()) == count_weights(config).total()
    plan = generic.plan(config)
    folder = save_model(model, tmp_path / "model", plan.config_entries, plan.architecture)
    again = load_model(folder).model
    assert again.config == config
    assert_close(logits(again, tokens), logits(model, tokens), rtol=0, atol=0)


@pytest.mark.parametrize("name", ["llama", "marian", "bert"])
def test_a_family_that_cannot_say_it_refuses_in_one_line(name, tmp_path):
    config = with_values(CONFIGS[name], 5)
    entries, architecture = (
        {"model_type": name},
        {"llama": "LlamaForCausalLM", "marian": "MarianMTModel"}.get(name, "BertForMaskedLM"),
    )
    with pytest.raises(CheckpointError, match="value_width = 5") as caught:
        save_model(build(config), tmp_path / "model", entries, architecture)
    assert "\n" not in str(caught.value)


def test_watching_sees_values_of_their_own_width_and_changes_nothing(tokens):
    model = build(with_values(CONFIGS["llama"], 9)).eval()
    plain = model(tokens)
    with regard.watch(model, values=True) as seen:
        assert_close(model(tokens), plain, rtol=0, atol=0)
    pattern = seen["decoder.0.self"]
    assert pattern.query.shape[-1] == 6
    assert pattern.values.shape[-1] == 9
    assert_close(pattern.weights().sum(-1), torch.ones(2, 4, 5))


@pytest.mark.parametrize("name", ["llama", "marian"])
def test_decoding_with_a_cache_is_reading_anew(name, tokens):
    model = build(with_values(CONFIGS[name], 9)).eval()
    assert serve(model) is model  # the compiled step steps aside
    source, prefix = (tokens, tokens[:, :1]) if name == "marian" else (None, tokens[:, :2])
    for row, result in enumerate(decode(model, source, prefix=prefix, max_new_tokens=4)):
        text = prefix[row].tolist()
        for _ in range(4):
            target = torch.tensor([text])
            scores = model(tokens[row : row + 1], target) if name == "marian" else model(target)
            text.append(int(scores[0, -1].argmax()))
        assert list(result.best.ids) == text[prefix.shape[1] :]
    assert len(decode(model, source, prefix=prefix, max_new_tokens=4, beam=3)) == 2


@pytest.mark.parametrize("name", ["llama", "marian"])
def test_a_model_is_pruned(name, tokens):
    model = build(with_values(CONFIGS[name], 9)).eval()
    smaller = regard.prune(model, {"decoder.0.self": [0, 1]})
    assert smaller.config.decoder.stack.pruned == {"0.self": [0, 1]}
    assert logits(smaller, tokens).shape == logits(model, tokens).shape
    assert sum(weight.numel() for weight in smaller.parameters()) == count_weights(smaller.config).total()


def test_it_learns(tokens):
    model = build(with_values(CONFIGS["llama"], 3)).train()
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    losses = []
    for _ in range(20):
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2
    assert all(weight.grad is not None for weight in model.parameters())


@pytest.mark.parametrize("kind", ATTENTION_METHODS)
def test_every_attention_method_takes_them(kind, tokens):
    config = with_values(CONFIGS["bert"], 9)
    settings = {"low-rank": {"length": 20, "slots": 4}, "window": {"before": 2, "after": 2}}.get(kind, {})
    attention = replace(config.encoder.stack.attention, method=AttentionMethodConfig(kind, settings), dropout=0.0)
    config = replace(config, encoder=replace(config.encoder, stack=replace(config.encoder.stack, attention=attention)))
    model = build(config).eval()
    assert model(tokens).shape == (2, 5, 40)
    assert sum(weight.numel() for weight in model.parameters()) == count_weights(config).total()


def test_a_recipe_can_ask_for_them():
    model = ModelRecipe(kind="decoder", width=24, heads=4, layers=(2,), value_width=8, max_positions=16)
    plan = model_plan(model, DataSizes(40))
    assert plan.config.decoder.stack.attention.value_width == 8
    assert plan.config_entries["model_type"] == "regard"
    with pytest.raises(RecipeError, match="a memory has no heads of its own width"):
        model_plan(ModelRecipe(kind="memory", width=8, heads=1, value_width=8), DataSizes(40, sentence_words=5))


def test_outside_formats_refuse_them():
    side = CONFIGS["marian"].encoder
    assert not unsupported_of_stack(side)["attention.value_width"]
    assert unsupported_of_stack(with_values(CONFIGS["marian"], 5).encoder)["attention.value_width"]


def test_a_head_of_nothing_is_refused():
    with pytest.raises(ShapeError, match="at least one number"):
        HeadSplit.of(12, 3, value_width=0)


def test_a_drawing_tells_both_widths():
    diagram = block_diagram(with_values(CONFIGS["bert"], 5), "0")
    assert diagram.boxes["self.value"].lines[0] == "24 → 4 × 5"
    assert diagram.boxes["self.join"].title == "Join 4 heads: 4 × 5 = 20"
    assert sum(box.parameters for box in diagram.boxes.values()) == diagram.parameters


def test_composition_knows_the_width_of_values():
    model = build(with_values(CONFIGS["llama"], 9))
    weights = HeadWeights.of(model.decoder.stack.blocks[0])
    assert weights.value.shape == (4, 9, 24)
    assert weights.output.shape == (4, 24, 9)
