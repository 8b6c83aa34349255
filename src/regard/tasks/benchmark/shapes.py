"""Models of known sizes and random weights, and random texts for them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch

from regard.checkpoints import save_model
from regard.families import family_of
from regard.families.options import Options
from regard.models import Transformer, build


@dataclass(frozen=True)
class ModelShape:
    """The size of a translator of Marian's kind, or of a GPT-2. `layers` are those of each side."""

    kind: Literal["marian", "gpt2"]
    width: int
    layers: int
    heads: int
    vocabulary: int

    @property
    def architecture(self) -> str:
        return "MarianMTModel" if self.kind == "marian" else "GPT2LMHeadModel"

    def config(self) -> dict[str, object]:
        """What config.json says; the last word of a Marian is the padding that it starts from, with no vector."""
        last = self.vocabulary - 1
        if self.kind == "gpt2":
            return {
                "model_type": "gpt2", "n_embd": self.width, "n_layer": self.layers, "n_head": self.heads,
                "n_inner": 4 * self.width, "n_positions": 1024, "vocab_size": self.vocabulary,
                "activation_function": "gelu_new", "bos_token_id": last, "eos_token_id": last,
            }  # fmt: skip
        sides = {
            f"{side}_{key}": value
            for side in ("encoder", "decoder")
            for key, value in (("layers", self.layers), ("attention_heads", self.heads), ("ffn_dim", 4 * self.width))
        }
        return {
            "model_type": "marian", "d_model": self.width, "vocab_size": self.vocabulary, "scale_embedding": True,
            "activation_function": "swish", "max_position_embeddings": 512, "eos_token_id": 0, "pad_token_id": last,
            "decoder_start_token_id": last, "forced_eos_token_id": None, **sides,
        }  # fmt: skip


SHAPES = {
    "tiny": ModelShape("marian", 64, 1, 4, 1000),
    "S": ModelShape("marian", 256, 3, 4, 16000),
    "B": ModelShape("marian", 512, 6, 8, 16000),
    "gpt2": ModelShape("gpt2", 768, 12, 12, 50257),
}


def random_folder(shape: ModelShape, folder: Path, seed: int = 0) -> Path:
    """A folder with random weights, drawn so that what the model writes depends on what it read."""
    config = shape.config()
    family = family_of(config, str(folder))
    described = family.read(Options(config, str(folder)), shape.architecture)
    model = build(described)
    random = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2:
            spread = 1.0 if "table" in name else 2.0
            torch.nn.init.normal_(parameter, std=spread / parameter.shape[1] ** 0.5, generator=random)
    if shape.kind == "marian":
        assert isinstance(model, Transformer)
        model.encoder.embedding.table.weight.data[-1] = 0
    return save_model(model, folder, config, shape.architecture)


@dataclass(frozen=True)
class Workload:
    """How many texts at once, of how many tokens, and how many are written: exactly, unless `shortest` is less."""

    batch: int = 1
    beam: int = 1
    read: int = 20
    write: int = 32
    min_new_tokens: int | None = None

    @property
    def required_new_tokens(self) -> int:
        return self.write if self.min_new_tokens is None else self.min_new_tokens

    @property
    def name(self) -> str:
        return f"batch {self.batch} {'greedy' if self.beam == 1 else f'beam {self.beam}'}"


Texts = list[list[int]]
Action = Callable[[], list[tuple[int, ...]]]
"""Writes, and gives the tokens of the best answer to each text, without the one that ended it."""
Entrant = Callable[[Workload, Texts], Action]
"""Made ready for some texts: what can be done before the clock starts is done."""


def texts(workload: Workload, vocabulary: int, specials: tuple[int, ...] = (), seed: int = 0) -> Texts:
    """Random texts, none with a special token."""
    words = torch.tensor([word for word in range(vocabulary) if word not in specials])
    random = torch.Generator().manual_seed(seed)
    return words[torch.randint(len(words), (workload.batch, workload.read), generator=random)].tolist()
