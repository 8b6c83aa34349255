"""A small model of every family that has heads, drawn at random."""

import torch

from regard.families import EXAMPLES
from regard.models import Aligner, MaskedAligner, SpeechTransformer, Transformer, VisionTransformer, build

WORDS = 40
WITH_HEADS = [name for name in EXAMPLES if name not in ("memory", "glimpse", "regard")]


def made(kind: str):
    """A model of a family, what config.json says beside its numbers, and its architecture; weights so large that every
    head matters."""
    example = EXAMPLES[kind]()
    torch.manual_seed(0)
    model = build(example.config)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    return model.eval(), example.config_entries, example.architecture


def sound(model: SpeechTransformer, generator: torch.Generator):
    """Two recordings of 12 frames."""
    return torch.randn(2, model.config.encoder.features, 12, generator=generator)


def answers(model, seed: int = 0):
    """What a model says about two texts, the second of which is padded."""
    generator = torch.Generator().manual_seed(seed)
    tokens, target = (torch.randint(3, WORDS, (2, length), generator=generator) for length in (7, 5))
    attention_mask = torch.arange(7) < torch.tensor([[7], [4]])
    with torch.no_grad():
        if isinstance(model, Transformer | Aligner):
            return model(tokens, target, attention_mask=attention_mask)
        if isinstance(model, MaskedAligner):
            return model.agreement(tokens, target, attention_mask=attention_mask)
        if isinstance(model, SpeechTransformer):
            return model(sound(model, generator), target)
        if isinstance(model, VisionTransformer):
            channels = model.config.channels
            return model(torch.rand(2, *[channels] * (channels > 1), 6, 6, generator=generator))
        return model(tokens, attention_mask=attention_mask)[attention_mask]
