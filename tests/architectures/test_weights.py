"""Numbers that are learned, counted from configs, are those of models. Also tests: architectures/part_weights.py."""

from dataclasses import replace
from inspect import signature

import pytest
import torch
from diagram_examples import CONFIGS

from regard.architectures.part_weights import METHOD_WEIGHTS, POSITION_WEIGHTS, SCORE_WEIGHTS, part_weights
from regard.architectures.weights import count_weights, is_counted
from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS
from regard.config import AttentionMethodConfig, FeedForwardConfig, NormConfig, PositionConfig, ScoreConfig
from regard.config.pruning import with_pruned
from regard.families import PRESETS
from regard.models import build
from regard.positions import POSITIONS
from regard.training.model.size import Unfilled

NONE = FeedForwardConfig(0)


def learned(config):
    """How many numbers the model itself has, those that layers share counted once."""
    with torch.device("meta"), Unfilled():
        model = build(config)
    return sum(weight.numel() for weight in model.parameters())


@pytest.mark.parametrize("name", CONFIGS)
def test_what_a_config_counts_is_what_its_model_has(name):
    assert count_weights(CONFIGS[name]).total() == learned(CONFIGS[name])


def published(name):
    return round(count_weights(PRESETS[name]()).total() / 1e6)


def test_published_models_have_their_published_sizes():
    # Devlin et al. 2019, 3: 110M and 340M; Radford et al. 2019, as released: 124M to 1,558M; Raffel et al. 2020, 3.1.2:
    # 220M; Vaswani et al. 2017, table 3: 65M and 213M, with a few more words than we count.
    assert [published(name) for name in ("bert-base", "gpt2", "gpt2-xl", "t5-base")] == [110, 124, 1558, 223]
    assert published("bert-large") == pytest.approx(340, rel=0.02)
    assert published("transformer-base") == pytest.approx(65, rel=0.04)
    assert published("transformer-big") == pytest.approx(213, rel=0.01)


def with_stack(config, **changes):
    side = config.decoder
    return replace(config, decoder=replace(side, stack=replace(side.stack, **changes)))


@pytest.mark.parametrize("kind", SCORES)
def test_every_score_is_counted(kind):
    config = CONFIGS["openai-gpt"]
    attention = replace(config.decoder.stack.attention, score=ScoreConfig(kind, dict(SCORES[kind].example_settings)))
    config = with_stack(config, attention=attention)
    assert is_counted(config)
    assert count_weights(config).total() == learned(config)


@pytest.mark.parametrize("kind", ATTENTION_METHODS)
def test_every_attention_method_is_counted(kind):
    config, method = CONFIGS["bert"], ATTENTION_METHODS[kind]
    settings = {"length": 20, "before": 2} | dict(method.example_settings)
    settings = {name: value for name, value in settings.items() if name in signature(method).parameters}
    attention = replace(config.encoder.stack.attention, method=AttentionMethodConfig(kind, settings))
    config = replace(config, encoder=replace(config.encoder, stack=replace(config.encoder.stack, attention=attention)))
    assert is_counted(config)
    assert count_weights(config).total() == learned(config)


@pytest.mark.parametrize("kind", POSITIONS)
def test_every_position_scheme_is_counted(kind):
    sizes = {"width": 24, "heads": 4, "head_width": 6, "length": 20}
    settings = {name: sizes[name] for name in signature(POSITIONS[kind]).parameters if name in sizes}
    config = replace(CONFIGS["bert"], encoder=replace(CONFIGS["bert"].encoder, position=PositionConfig(kind, settings)))
    assert is_counted(config)
    assert count_weights(config).total() == learned(config)


@pytest.mark.parametrize(
    ("counts", "parts"), [(SCORE_WEIGHTS, SCORES), (POSITION_WEIGHTS, POSITIONS), (METHOD_WEIGHTS, ATTENTION_METHODS)]
)
def test_counts_take_the_settings_of_their_parts(counts, parts):
    def settings(part):
        return {
            name: one.default
            for name, one in signature(part).parameters.items()
            if one.kind is one.POSITIONAL_OR_KEYWORD
        }

    assert {name: settings(counts[name]) for name in counts} == {name: settings(parts[name]) for name in counts}


def test_what_is_not_in_the_tables_is_said_to_be_missing():
    config = CONFIGS["openai-gpt"]
    attention = replace(config.decoder.stack.attention, score=ScoreConfig("telepathic"))
    assert not is_counted(with_stack(config, attention=attention))
    assert part_weights(SCORE_WEIGHTS, "telepathic", {}) == 0


def test_heads_that_were_taken_out_are_not_counted():
    config = with_pruned(CONFIGS["t5"], {"encoder.0.self": [1], "decoder.1.cross": [0, 2]})
    assert count_weights(config).total() == learned(config) < count_weights(CONFIGS["t5"]).total()


@pytest.mark.parametrize(
    "changes", [{"residual": False}, {"norm": NormConfig("none")}, {"feed_forward": NONE}], ids=str
)
def test_what_a_block_does_without_is_not_counted(changes):
    config = with_stack(CONFIGS["openai-gpt"], **changes)
    assert is_counted(config)
    assert count_weights(config).total() == learned(config)
