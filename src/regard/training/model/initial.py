"""Where learning begins."""

import torch
from torch import nn

from regard.attention import LearnedScore
from regard.attention.efficient import AttentionMethod
from regard.layers import FeedForward, MixtureOfExperts, Output, TransformerBlock
from regard.models import Aligner, MaskedAligner, MemoryNetwork, Model, Transformer
from regard.training.model.copies import draw_weights

SMALL = 0.02


@torch.no_grad()
def initialise(model: Model, seed: int) -> None:
    """Fresh weights, the same for the same seed.

    Two-sided models begin as in Vaswani et al. 2017 (Glorot and Bengio 2010; words of size 1 once they are scaled),
    the others as in Radford et al. 2019: small everywhere, smaller where layers add to the stream. Recurrent layers
    neither lengthen nor shorten what they remember (Saxe et al. 2014). Memory networks: Sukhbaatar et al. 2015, 4.2.
    """
    generator = torch.Generator().manual_seed(seed)
    if isinstance(model, MemoryNetwork):
        draw_weights(model, [seed])
        return
    two_sided = isinstance(model, Transformer | Aligner | MaskedAligner)
    for module in model.modules():
        if isinstance(module, nn.Linear):
            if two_sided:
                nn.init.xavier_uniform_(module.weight, generator=generator)
            else:
                nn.init.normal_(module.weight, std=SMALL, generator=generator)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            std = module.embedding_dim**-0.5 if two_sided else SMALL
            nn.init.normal_(module.weight, std=std, generator=generator)
        elif isinstance(module, Output) and not _is_tied(module, model):
            std = module.weight.shape[-1] ** -0.5 if two_sided else SMALL
            nn.init.normal_(module.weight, std=std, generator=generator)
        elif isinstance(module, nn.RNNBase):
            _recurrent(module, generator)
        elif isinstance(module, LearnedScore | AttentionMethod):
            for weight in module.parameters():
                if weight.ndim > 1:  # a number for each head begins as its score says
                    nn.init.xavier_uniform_(weight, generator=generator)
    if not two_sided:
        blocks = [module for module in model.modules() if isinstance(module, TransformerBlock)]
        for block in blocks if blocks and blocks[0].pre_norm else []:
            layers = (
                block.feed_forward.experts if isinstance(block.feed_forward, MixtureOfExperts) else [block.feed_forward]
            )
            ends = [block.self.output] + [layer.narrow for layer in layers if isinstance(layer, FeedForward)]
            for last in ends:
                last.weight.mul_((2 * len(blocks)) ** -0.5)


def _is_tied(output: Output, model: Model) -> bool:
    return any(isinstance(module, nn.Embedding) and module.weight is output.weight for module in model.modules())


def _recurrent(cells: nn.RNNBase, generator: torch.Generator) -> None:
    """Each gate's matrices on their own: what is read as in any layer, what is remembered only turned."""
    for name, weight in cells.named_parameters():
        for gate in weight.split(cells.hidden_size):
            if weight.ndim == 1:
                nn.init.zeros_(gate)
            elif name.startswith("weight_hh"):
                nn.init.orthogonal_(gate, generator=generator)
            else:
                nn.init.xavier_uniform_(gate, generator=generator)
