"""Diagrams of every kind of model, for tests: of examples, of published sizes, and of a block of each."""

from functools import cache

from regard.architectures import diagram_of
from regard.architectures.inside import block_diagram
from regard.config import (
    AlignConfig,
    AlignerConfig,
    DecoderConfig,
    EncoderConfig,
    MemoryNetworkConfig,
    RecurrentConfig,
    TransformerConfig,
    VisionConfig,
)
from regard.families import EXAMPLES, PRESETS

sides = RecurrentConfig(30, 10, 12), RecurrentConfig(40, 10, 24)
OTHERS = {
    "before": AlignerConfig(*sides),
    "after": AlignerConfig(
        *sides, AlignConfig("bilinear", "after"), cell="lstm", deep="tanh", skips=False, feeding=True
    ),
    "local": AlignerConfig(*sides, AlignConfig("dot", "after", local="predictive"), narrow=24, begins=False),
    "blind": AlignerConfig(*sides, None),
    "layerwise": MemoryNetworkConfig(40, 8, hops=3, tying="layerwise", projects=True, max_words=0),
    "many hops": MemoryNetworkConfig(40, 8, hops=9, memories=0, copies=2),
    "mean": VisionConfig(6, 2, 5, 24, 2, 4, 32, has_positions=False, pool="mean", dropout=0.2),
}
CONFIGS = {name: example().config for name, example in EXAMPLES.items()}
CONFIGS |= {name: make() for name, make in PRESETS.items()}
CONFIGS |= OTHERS
ALIKE = {
    *("roberta", "xlm-roberta", "camembert", "distilbert", "mistral", "qwen2", "bart", "encoder-decoder"),
    *("opt", "electra", "m2m_100", "pegasus", "mt5", "gemma", "phi3", "qwen3", "gemma3_text", "vit"),
    *("gpt2-medium", "gpt2-large", "bert-large", "transformer-big", "t5-small"),
}
"""Models that are drawn as another one is, but for their numbers."""
WITH_BLOCKS = EncoderConfig | DecoderConfig | VisionConfig | TransformerConfig
DRAWN = [name for name in CONFIGS if name not in ALIKE]
DIAGRAMS = [*DRAWN, *(f"{name} block" for name in DRAWN if isinstance(CONFIGS[name], WITH_BLOCKS))]


@cache
def example_diagram(name):
    whole = name.removesuffix(" block")
    return diagram_of(CONFIGS[name], name) if whole == name else block_diagram(CONFIGS[whole], "0", whole)
