"""What a live layer is called here: its side, its depth and what it looks at."""

import re
from dataclasses import dataclass
from typing import Any

from torch import nn

CROSS = re.compile(r"cross|enc_?dec|encoder_attn|src_attn|x_attn", re.IGNORECASE)
"""In the path of a layer, or in its class: it looks at another text than its own."""


@dataclass(frozen=True)
class LayerName:
    """Where a layer stands: `encoder` or `decoder`, its number there, and whether it looks at another text."""

    path: str
    side: str
    number: int | None  # None: it stands in no numbered block
    is_cross: bool
    blocks: tuple[str, ...]  # the paths of the numbered blocks that it stands in, outermost first

    def short(self, depth: int) -> str:
        """`decoder.2.cross`; a layer outside of the blocks goes by its path."""
        return self.path if self.number is None else f"{self.side}.{depth}.{'cross' if self.is_cross else 'self'}"


def layer_name(model: nn.Module, path: str) -> LayerName:
    """Read off the path of a layer, and off the classes around it, what it is."""
    parts = path.split(".")
    module = model.get_submodule(path)
    is_cross = bool(CROSS.search(path) or "Cross" in type(module).__name__)
    numbered = [index for index, part in enumerate(parts[:-1]) if part.isdigit()]
    blocks = tuple(".".join(parts[: index + 1]) for index in numbered)
    around = model.get_submodule(blocks[0]) if blocks else module
    side = side_of(parts, type(around).__name__, module, config_of(model, path))
    return LayerName(path, side, int(parts[numbered[0]]) if numbered else None, is_cross, blocks)


def side_of(parts: list[str], block: str, module: nn.Module, config: object) -> str:
    """Which side a layer is on: by its path, what its model is for, the name of its block, or the layer itself."""
    sides = [part for part in parts if part in ("encoder", "decoder")]
    is_decoder = bool(getattr(config, "is_decoder", False) or getattr(config, "causal", False))
    if sides:
        return "decoder" if sides[0] == "decoder" or is_decoder else "encoder"
    purpose = side_of_family(config)
    if is_decoder or purpose is not None:
        return "decoder" if is_decoder else purpose or "encoder"
    if named := re.search("encoder|decoder", block, re.IGNORECASE):
        return named[0].lower()
    return "decoder" if getattr(module, "is_causal", False) else "encoder"


def side_of_family(config: object) -> str | None:
    """The side of a model of one stack, by what transformers builds for its config: None if it builds both or none."""
    from transformers.models.auto import modeling_auto as auto

    kind = getattr(config, "model_type", None)
    causal = (
        kind in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES or kind in auto.MODEL_FOR_CAUSAL_IMAGE_MODELING_MAPPING_NAMES
    )
    masked = kind in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    if causal == masked:
        return None
    return "encoder" if masked or getattr(config, "attn_type", None) == "bi" else "decoder"


def config_of(model: nn.Module, path: str) -> object:
    """The config of a layer: its own, or that of the nearest module around it."""
    parts = path.split(".")
    for length in range(len(parts), -1, -1):
        config = getattr(model.get_submodule(".".join(parts[:length])), "config", None)
        if config is not None:
            return config
    return None


def depths(config: Any, number: int | None) -> list[int]:
    """The depths at which a layer works: its own, or several where groups of layers share one (ALBERT)."""
    groups = getattr(config, "num_hidden_groups", None)
    if groups is None or number is None:
        return [number or 0]
    return [depth for depth in range(config.num_hidden_layers) if depth * groups // config.num_hidden_layers == number]
