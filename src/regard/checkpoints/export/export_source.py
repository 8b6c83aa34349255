"""A translator that is to be written down for others: what all formats have to know of it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor

from regard.checkpoints.files import CheckpointError, list_names, read_json
from regard.checkpoints.load import Checkpoint
from regard.models import EmbeddedStackConfig, Transformer, TransformerConfig
from regard.models.embedded_stack import EmbeddedStack
from regard.settings import Settings
from regard.text import Tokenizer

GENERATION = "generation_config.json"
COPIED_FILES = ("tokenizer.json", "target_tokenizer.json", "tokenizer_config.json", GENERATION, "README.md")
BANNED_SCORE = -1e9  # added to the score of a word that is not to be written
DEFAULT_POSITIONS = 512  # where a config does not say how many


@dataclass(frozen=True)
class ExportSource:
    """A checkpoint with its tokeniser."""

    checkpoint: Checkpoint
    tokenizer: Tokenizer

    @property
    def folder(self) -> Path:
        return self.checkpoint.folder

    @cached_property
    def config(self) -> dict[str, object]:
        """config.json, and generation_config.json before it."""
        path = self.folder / GENERATION
        generation = read_json(path) if path.is_file() else {}
        return {**self.checkpoint.config, **{key: value for key, value in generation.items() if value is not None}}

    def token_id(self, key: str) -> int:
        """A token's number that a translator cannot do without."""
        number = self.config.get(key)
        if type(number) is not int:
            raise CheckpointError(f"{self.folder}: {key}: one number of a token expected, got {number!r}")
        return number

    @cached_property
    def model(self) -> Transformer:
        """The model, if it is made of what Marian's and BART's are made of; else a line says what is too much."""
        model = self.checkpoint.model
        if not isinstance(model, Transformer) or model.output is None:
            raise CheckpointError(f"{self.folder}: {self.checkpoint.architecture} is no translator")
        if odd := unsupported(model.config):
            raise CheckpointError(f"{self.folder}: this format has no words for {list_names(odd)} of this model")
        return model

    def position_table(self, side: EmbeddedStack) -> Tensor:
        """What is added to the embedding at each position: (positions, width)."""
        config = self.model.config
        position = (config.encoder if side is self.model.encoder else config.decoder).position
        length_setting = position.settings.get("length", self.checkpoint.config.get("max_position_embeddings"))
        length = length_setting if isinstance(length_setting, int) and length_setting > 0 else DEFAULT_POSITIONS
        width = side.embedding.table.embedding_dim
        return side.position.embed(torch.zeros(1, length, width), torch.arange(length)[None])[0].detach()

    def output_bias(self) -> Tensor | None:
        """What is added to the scores of words, so that none is written that the folder forbids."""
        model = self.model
        assert model.output is not None
        settings = Settings(self.config, str(self.folder), CheckpointError)
        banned = {word[0] for word in settings.list("bad_words_ids") if len(word) == 1}
        banned = (banned | set(settings.list("suppress_tokens"))) - {self.token_id("eos_token_id")}
        if model.output.bias is None and not banned:
            return None
        bias = torch.zeros(len(model.output.weight)) if model.output.bias is None else model.output.bias.detach()
        return bias.index_fill(0, torch.tensor(sorted(banned), dtype=torch.long), BANNED_SCORE)


def unsupported(config: TransformerConfig) -> list[str]:
    """What Marian and BART have not."""
    output = config.output
    odd = {"bridge": config.bridge}
    odd["output"] = output is not None and (output.transform is not None or output.scale != 1 or output.cap is not None)
    for name, side in (("encoder", config.encoder), ("decoder", config.decoder)):
        odd |= {f"{name}.{what}": is_so for what, is_so in unsupported_of_stack(side).items()}
    return [what for what, is_so in odd.items() if is_so]


def unsupported_of_stack(side: EmbeddedStackConfig) -> dict[str, bool]:
    stack, attention = side.stack, side.stack.attention
    return {
        f"position = {side.position.kind}": side.position.kind not in ("sinusoidal", "learned"),
        "distances": side.distances is not None,
        "words": side.embedding.embedding_width is not None or side.embedding.segments > 0,
        f"norm = {stack.norm.kind}": stack.norm.kind != "layer",
        "attention.groups": attention.kv_heads not in (None, attention.heads),
        "attention.head_width": attention.head_width not in (None, stack.width // attention.heads),
        "attention.value_width": attention.split(stack.width).value_width != stack.width // attention.heads,
        "attention.scale": attention.scale is not None,
        "attention.qk_norm": attention.qk_norm is not None,
        "attention.score": attention.score is not None,
        "attention.method": attention.method is not None,
        "attention.bias": not attention.bias or attention.output_bias is False,
        "experts": stack.feed_forward.experts > 0,
        "inner": stack.feed_forward.gated or not stack.feed_forward.bias or not stack.feed_forward.width,
        "residual": not stack.residual,
        "output_norm": stack.output_norm,
        "parallel": stack.parallel,
        "first_norm": not stack.first_norm,
        "window": stack.window is not None,
        "distinct": stack.distinct is not None,
        "pruned": bool(stack.pruned),
    }
