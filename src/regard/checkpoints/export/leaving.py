"""A translator that is to be written down for others: what all formats have to know of it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.checkpoints.files import CheckpointError, listed, read_json
from regard.checkpoints.load import Checkpoint
from regard.models import EmbeddedStackConfig, Transformer, TransformerConfig
from regard.models.side import EmbeddedStack
from regard.text import Tokenizer

GENERATION = "generation_config.json"
ALONG = ("tokenizer.json", "target_tokenizer.json", "tokenizer_config.json", GENERATION, "README.md")
NEVER = -1e9  # added to the score of a word that is not to be written
USUAL = 512  # places, where a config does not say how many


@dataclass(frozen=True)
class ExportSource:
    """A checkpoint with its tokeniser."""

    checkpoint: Checkpoint
    tokenizer: Tokenizer

    @property
    def folder(self) -> Path:
        return self.checkpoint.folder

    @cached_property
    def told(self) -> dict[str, Any]:
        """config.json, and generation_config.json before it."""
        path = self.folder / GENERATION
        given = read_json(path) if path.is_file() else {}
        return {**self.checkpoint.config, **{key: value for key, value in given.items() if value is not None}}

    def number(self, key: str) -> int:
        """A token's number that a translator cannot do without."""
        found = self.told.get(key)
        if type(found) is not int:
            raise CheckpointError(f"{self.folder}: {key}: one number of a token expected, got {found!r}")
        return found

    @cached_property
    def plain(self) -> Transformer:
        """The model, if it is made of what Marian's and BART's are made of; else a line says what is too much."""
        model = self.checkpoint.model
        if not isinstance(model, Transformer) or model.output is None:
            raise CheckpointError(f"{self.folder}: {self.checkpoint.architecture} is no translator")
        if odd := unusual(model.config):
            raise CheckpointError(f"{self.folder}: this format has no words for {listed(odd)} of this model")
        return model

    def places(self, side: EmbeddedStack) -> Tensor:
        """What is added to the words of each place: (places, width)."""
        config = self.plain.config
        position = (config.encoder if side is self.plain.encoder else config.decoder).position
        told = position.settings.get("length", self.checkpoint.config.get("max_position_embeddings"))
        length = told if isinstance(told, int) and told > 0 else USUAL
        width = side.embedding.table.embedding_dim
        return side.position.embed(torch.zeros(1, length, width), torch.arange(length)[None])[0].detach()

    def output_bias(self) -> Tensor | None:
        """What is added to the scores of words, so that none is written that the folder forbids."""
        model = self.plain
        assert model.output is not None
        banned = {word[0] for word in self.told.get("bad_words_ids") or [] if len(word) == 1}
        banned = (banned | set(self.told.get("suppress_tokens") or [])) - {self.number("eos_token_id")}
        if model.output.bias is None and not banned:
            return None
        bias = torch.zeros(len(model.output.weight)) if model.output.bias is None else model.output.bias.detach()
        return bias.index_fill(0, torch.tensor(sorted(banned), dtype=torch.long), NEVER)


def unusual(config: TransformerConfig) -> list[str]:
    """What Marian and BART have not."""
    output = config.output
    odd = {"bridge": config.bridge}
    odd["output"] = output is not None and (output.transform is not None or output.scale != 1)
    for name, side in (("encoder", config.encoder), ("decoder", config.decoder)):
        odd |= {f"{name}.{what}": is_so for what, is_so in unusual_side(side).items()}
    return [what for what, is_so in odd.items() if is_so]


def unusual_side(side: EmbeddedStackConfig) -> dict[str, bool]:
    stack, look = side.stack, side.stack.attention
    return {
        f"position = {side.position.kind}": side.position.kind not in ("sinusoidal", "learned"),
        "words": side.embedding.embedding_width is not None or side.embedding.segments > 0,
        f"norm = {stack.norm.kind}": stack.norm.kind != "layer",
        "attention.groups": look.kv_heads not in (None, look.heads),
        "attention.head_width": look.head_width not in (None, stack.width // look.heads),
        "attention.scale": look.scale is not None,
        "attention.bias": not look.bias or look.output_bias is False,
        "inner": stack.feed_forward.gated or not stack.feed_forward.bias,
        "window": stack.window is not None,
        "distinct": stack.distinct is not None,
        "pruned": bool(stack.pruned),
    }
