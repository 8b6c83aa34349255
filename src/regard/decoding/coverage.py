"""Whether a text has looked at all of its source: the coverage penalty of Wu et al. 2016, section 7."""

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.taps import active, unwatched
from regard.decoding.request import DecodeRequest
from regard.errors import RegardError
from regard.layers import MultiHead
from regard.layers.alignment_attention import AlignmentAttention
from regard.models import Aligner, SpeechTransformer, Transformer

if TYPE_CHECKING:
    from regard.decoding.beam import FinishedBeam

Module = TypeVar("Module", bound=nn.Module)


class LastPattern(Tap):
    """Keeps the last pattern that came by."""

    pattern: Pattern | None = None

    def see(self, pattern: Pattern) -> None:
        self.pattern = pattern


def add_coverage(
    model: object, request: DecodeRequest, texts_of_sources: Sequence[Sequence["FinishedBeam"]], penalty: float
) -> None:
    """Add what coverage is worth to what the finished texts of each source are ranked by.

    The texts are read once more, all at once: so it costs nothing while they are written.
    """
    path = cross_path(model)
    if path is None or request.source is None or not isinstance(model, nn.Module):
        raise RegardError(f"coverage is of a source that is looked at, and {type(model).__name__} looks at none")
    tap = LastPattern()
    reader = with_tap(model, tap, *path)
    with torch.no_grad(), unwatched(), active(tap):
        for row, texts in enumerate(texts_of_sources):
            if texts:
                for text, logs in zip(texts, coverage(reader, tap, request, row, texts), strict=True):
                    text.rank_score += penalty * logs


def coverage(
    reader: nn.Module, tap: LastPattern, request: DecodeRequest, row: int, texts: Sequence["FinishedBeam"]
) -> list[float]:
    """The sum of log(min(attention, 1)) over the source, for each text; attention is the mean of the heads."""
    assert request.source is not None
    source: Tensor = request.source[row : row + 1]
    source = source if request.attention_mask is None else source[:, request.attention_mask[row]]
    prefix = (
        request.prefix[row]
        if request.prefix_attention_mask is None
        else request.prefix[row][request.prefix_attention_mask[row]]
    )
    read = [torch.from_numpy(np.concatenate([prefix, text.ids[:-1]])) for text in texts]
    target = nn.utils.rnn.pad_sequence(read, batch_first=True).to(source.device)
    lengths = torch.tensor([len(one) for one in read], device=target.device)
    positions = torch.arange(target.shape[1], device=target.device)
    reader(source.expand(len(texts), *source.shape[1:]), target, target_attention_mask=positions < lengths[:, None])
    assert tap.pattern is not None
    weights = tap.pattern.weights().mean(1)  # (texts, written, source)
    counted = (positions >= len(prefix) - 1) & (positions < lengths[:, None])
    total = (weights * counted[..., None]).sum(1)
    return torch.where(total > 0, total.clamp(max=1).log(), 0).sum(-1).tolist()


def cross_path(model: object) -> tuple[str, ...] | None:
    """Where the last look at the source is."""
    if isinstance(model, Aligner):
        return None if model.align is None else ("align",)
    last = f"{len(model.decoder.stack.blocks) - 1}" if isinstance(model, Transformer | SpeechTransformer) else ""
    return ("decoder", "stack", "blocks", last, "cross") if last else None


def with_tap(module: Module, tap: Tap, *path: str) -> Module:
    """The same module, its parameters shared, with a tap at the end of a path; the module itself stays untouched."""
    other = copy.copy(module)
    if path:
        first, *rest = path
        other._modules = module._modules | {first: with_tap(module.get_submodule(first), tap, *rest)}
    else:
        assert isinstance(other, MultiHead | AlignmentAttention)
        other.taps = (*other.taps, tap)
    return other
