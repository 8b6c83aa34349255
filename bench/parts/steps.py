"""A training step of everybody, of the same size: what bench/training.py times.

All have one table of words for both sides and the output, dropout after the words and after each part of a layer and
nowhere else, Adam in one kernel, and the same sentences, none of them padded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

DROPOUT, SMOOTHING, RATE, BETAS, EPSILON = 0.1, 0.1, 1e-4, (0.9, 0.98), 1e-9
START = 0  # the token before the first

Step = Callable[[], float]
"""One step; its loss, a mean over target tokens."""


@dataclass(frozen=True)
class Size:
    """A model, and what it is shown at a time: as many tokens of source as of target."""

    width: int
    layers: int
    inner: int
    heads: int
    vocabulary: int = 16000
    rows: int = 64
    length: int = 32

    @property
    def tokens(self) -> int:
        return self.rows * self.length

    @cached_property
    def texts(self) -> tuple[Tensor, Tensor]:
        """Sources and targets, the same for everybody."""
        random = torch.Generator().manual_seed(1)
        shape = (2, self.rows, self.length)
        source, target = torch.randint(4, self.vocabulary, shape, generator=random)
        return source, target

    @cached_property
    def begun(self) -> Tensor:
        """Targets with the token that they begin with, and without their last."""
        return F.pad(self.texts[1], (1, -1), value=START)


@dataclass(frozen=True)
class Entrant:
    """A model that learns, and what one step of it is."""

    model: nn.Module
    step: Step

    @property
    def weights(self) -> int:
        return sum(weight.numel() for weight in self.model.parameters() if weight.requires_grad)


def ours(size: Size, precision: str = "float32") -> Entrant:
    """As `regard train` does it, from rows of numbers on: batch, loss, gradient, norm, step."""
    from regard.families.recipe import DataSizes
    from regard.models import build
    from regard.training.data.batch_source import mix_seeds
    from regard.training.model.initial import initialise
    from regard.training.model.model_plans import model_plan
    from regard.training.objectives import TranslationObjective
    from regard.training.optimisation.learner import Learner
    from regard.training.optimisation.optimiser import make_optimiser
    from regard.training.optimisation.training_step import training_step
    from regard.training.recipe.recipe import ModelRecipe
    from regard.training.run.memory_pool import keep_freed_memory

    keep_freed_memory()
    recipe = ModelRecipe(
        width=size.width, layers=(size.layers,), heads=size.heads, feed_forward_width=size.inner, dropout=DROPOUT
    )
    model: Any = build(model_plan(recipe, DataSizes(size.vocabulary)).config)
    initialise(model, 1)
    objective = TranslationObjective(start=START, pad=START)
    learner = Learner(model, objective, smoothing=SMOOTHING, precision=precision).train()
    optimiser = make_optimiser(model, "adam", learning_rate=RATE, betas=BETAS, epsilon=EPSILON, weight_decay=0.0)
    source, target = (side.numpy().astype(np.int32) for side in size.texts)
    rows = list(zip(source, target, strict=True))

    def step() -> float:
        batch = objective.batch(rows, torch.Generator().manual_seed(mix_seeds(1, 1)))
        done = training_step(learner, [batch], optimiser, learning_rate=RATE)
        return done.loss / done.count

    return Entrant(model, step)


class Plain(nn.Module):
    """torch.nn.Transformer between a table of words with sines and that table again."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.words = nn.Embedding(size.vocabulary, size.width)
        nn.init.normal_(self.words.weight, std=size.width**-0.5)
        self.dropout = nn.Dropout(DROPOUT)
        self.inside = nn.Transformer(
            size.width, size.heads, size.layers, size.layers, size.inner, DROPOUT, batch_first=True
        )
        for module in self.inside.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.dropout = 0.0
            if isinstance(module, (nn.TransformerEncoderLayer, nn.TransformerDecoderLayer)):
                module.dropout.p = 0.0  # the one inside the feed-forward layer
        turns = torch.arange(size.length)[:, None] / 10000 ** (torch.arange(0, size.width, 2) / size.width)
        self.register_buffer("sines", torch.cat([turns.sin(), turns.cos()], 1))
        self.register_buffer("future", nn.Transformer.generate_square_subsequent_mask(size.length))
        self.scale = size.width**0.5

    def embedded(self, tokens: Tensor) -> Tensor:
        return self.dropout(self.words(tokens) * self.scale + self.sines)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        x = self.inside(self.embedded(source), self.embedded(target), tgt_mask=self.future, tgt_is_causal=True)
        return F.linear(x, self.words.weight)


def torch_layers(size: Size) -> Entrant:
    model = Plain(size)
    source, target = size.texts

    def loss() -> Tensor:
        scores = model(source, size.begun)
        return F.cross_entropy(scores.flatten(0, 1), target.flatten(), label_smoothing=SMOOTHING)

    return learning(model, loss)


def marian(size: Size) -> Entrant:
    """transformers' MarianMTModel with sdpa, and its own loss, which smooths nothing."""
    import transformers

    told = transformers.MarianConfig(
        vocab_size=size.vocabulary,
        d_model=size.width,
        encoder_layers=size.layers,
        decoder_layers=size.layers,
        encoder_ffn_dim=size.inner,
        decoder_ffn_dim=size.inner,
        encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads,
        max_position_embeddings=max(64, size.length),
        activation_function="relu",
        dropout=DROPOUT,
        attention_dropout=0.0,
        activation_dropout=0.0,
        scale_embedding=True,
        init_std=size.width**-0.5,
        pad_token_id=START,
        decoder_start_token_id=START,
        attn_implementation="sdpa",
    )
    model = transformers.MarianMTModel(told)
    source, target = size.texts
    return learning(
        model, lambda: model(input_ids=source, decoder_input_ids=size.begun, labels=target, use_cache=False).loss
    )


def x_transformers(size: Size) -> Entrant:
    """x-transformers' XTransformer with fused attention. Its own loss would read one more token: torch's instead."""
    from x_transformers import XTransformer

    side = {
        "num_tokens": size.vocabulary,
        "max_seq_len": size.length,
        "depth": size.layers,
        "heads": size.heads,
        "attn_dim_head": size.width // size.heads,
        "attn_flash": True,
        "ff_mult": size.inner / size.width,
        "ff_custom_activation": nn.ReLU(),
        "emb_dropout": DROPOUT,
        "attn_sublayer_dropout": DROPOUT,
        "ff_sublayer_dropout": DROPOUT,
    }
    both = {f"{name}_{key}": value for name in ("enc", "dec") for key, value in side.items()}
    model = XTransformer(dim=size.width, tie_token_emb=True, **both)
    model.decoder.net.to_logits.weight = model.encoder.token_emb.emb.weight
    source, target = size.texts

    def loss() -> Tensor:
        scores = model.decoder.net(size.begun, context=model.encoder(source, return_embeddings=True))
        return F.cross_entropy(scores.flatten(0, 1), target.flatten(), label_smoothing=SMOOTHING)

    return learning(model, loss)


def learning(model: nn.Module, loss: Callable[[], Tensor]) -> Entrant:
    """The usual three lines around a loss."""
    model.train()
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE, betas=BETAS, eps=EPSILON, fused=True)

    def step() -> float:
        optimiser.zero_grad(set_to_none=True)
        found = loss()
        found.backward()
        optimiser.step()
        return float(found.detach())

    return Entrant(model, step)


OURS, COARSE = "regard", "regard, bfloat16"  # the second is compared with, not counted among the others
ENTRANTS: dict[str, Callable[[Size], Entrant]] = {
    OURS: ours,
    COARSE: partial(ours, precision="bfloat16"),
    "torch.nn.Transformer": torch_layers,
    "transformers Marian": marian,
    "x-transformers": x_transformers,
}
