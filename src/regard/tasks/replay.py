"""What was written is read once more, all at once, so that every look at it has all of its rows.

Searches keep many texts and throw most away, and a compiled step shows nobody what it does. So texts are written
unwatched; those who look are shown a pass over the winners, with teacher forcing. Edits are at work in both.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.taps import active_taps, edits, looks, only_active, unwatched
from regard.errors import RegardError
from regard.looking import watch
from regard.looking.layer_names import attends_to_source
from regard.models import Aligner, Decoder, Encoder, Model, Transformer
from regard.tasks.engine_looks import group_readings, share_out
from regard.tasks.engine_weights import engine_weights
from regard.tasks.inputs import Reading
from regard.tasks.source_layers import source_layers
from regard.tasks.task import as_array
from regard.text.align.heads import AlignmentHeads
from regard.text.padding import pad_rows

Translator = Transformer | Aligner | Decoder
"""Models that can translate."""


def is_watched(model: nn.Module) -> bool:
    """Whether somebody looks here."""
    return any(map(looks, taps_of(model)))


def is_edited(model: nn.Module) -> bool:
    """Whether somebody may change something here."""
    return any(map(edits, taps_of(model)))


def taps_of(model: nn.Module) -> Iterator[Tap]:
    """Everybody who takes part now, in any layer."""
    for module in model.modules():
        if taps := getattr(module, "taps", ()):
            yield from active_taps(taps)


@torch.no_grad()
def replay(model: Model, readings: Sequence[Reading], device: torch.device) -> None:
    """Pass over these texts, in their order, some at a time: padded on the right."""
    for group in group_readings(readings):
        run_readings(model, group, device)


def cross_layers(model: Translator) -> list[str]:
    """Where a model looks at its source; a decoder, which reads source and target in one stream, does so everywhere."""
    return source_layers(model.config)


def alignment_weights(
    model: Translator, readings: Sequence[Reading], device: torch.device, heads: AlignmentHeads
) -> list[np.ndarray]:
    """How much each target token looked at each source token, (target, source) for every reading.

    Nobody else sees this pass; those who edit take part in it.
    """
    all_weights = cross_weights(model, readings, device, heads.layers)
    return [heads.of({layer: as_array(table) for layer, table in weights.items()}) for weights in all_weights]


def unedited_alignment_weights(
    model: Translator, readings: Sequence[Reading], device: torch.device, heads: AlignmentHeads
) -> list[np.ndarray]:
    """The same where nobody else may take part: for texts that were written without edits."""
    with only_active():
        return alignment_weights(model, readings, device, heads)


@torch.no_grad()
def cross_weights(
    model: Translator, readings: Sequence[Reading], device: torch.device, layers: Sequence[str]
) -> Iterator[dict[str, Tensor]]:
    """The weights of every head of some layers, (heads, target, source) for every reading: the engine's, or those of a
    pass of the model where it does not serve."""
    for group in group_readings(readings):
        with unwatched():
            rows = engine_weights(model, group, layers)
        if rows is None:
            yield from replayed_weights(model, group, device, layers)
        else:
            yield from map(shared_out, rows)


@torch.no_grad()
def replayed_weights(
    model: Translator, readings: Sequence[Reading], device: torch.device, layers: Sequence[str]
) -> Iterator[dict[str, Tensor]]:
    """The same from a watched pass of the model over all readings at once: what the engine is held to."""
    with unwatched(), watch(model, *layers) as seen:
        run_readings(model, readings, device)
    for row, reading in enumerate(readings):
        yield source_weights({layer: seen[layer] for layer in layers}, reading, row)


def source_weights(patterns: Mapping[str, Pattern], reading: Reading, row: int = 0) -> dict[str, Tensor]:
    """How much each token of a target looked at each of its source, (heads, target, source) for every layer."""
    count = len(reading.source)
    weights: dict[str, Tensor] = {}
    for layer, pattern in patterns.items():
        begin = 0 if attends_to_source(layer) else count
        weights[layer] = pattern[row, :, begin : begin + len(reading.target), :count].cpu()
    return shared_out(weights)


def shared_out(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Looks at a source that sum to 1."""
    stream = {layer: as_array(table) for layer, table in weights.items() if not attends_to_source(layer)}
    return dict(weights) | {layer: torch.from_numpy(table) for layer, table in share_out(stream).items()}


def run_readings(model: Model, readings: Sequence[Reading], device: torch.device) -> Tensor:
    """One pass through the layers; the vectors from which words would be chosen: (readings, tokens, width)."""
    if isinstance(model, Transformer | Aligner):
        source, source_mask = pad_rows([reading.source for reading in readings], device)
        target, target_mask = pad_rows([reading.target for reading in readings], device)
        return model.hidden(source, target, attention_mask=source_mask, target_attention_mask=target_mask)
    tokens, attention_mask = pad_rows([(*reading.source, *reading.target) for reading in readings], device)
    if isinstance(model, Encoder):
        segments = [reading.segments or [0] * len(reading.target) for reading in readings]
        return model.hidden(tokens, attention_mask=attention_mask, segments=pad_rows(segments, device)[0])
    if isinstance(model, Decoder):
        return model.hidden(tokens, attention_mask=attention_mask)
    raise RegardError(f"a {type(model).__name__} reads no text of tokens")


def model_inputs(model: Model, reading: Reading, device: torch.device) -> list[Tensor]:
    """A reading as the arguments of a model: source and target, or one stream."""
    is_apart = isinstance(model, Transformer | Aligner)
    streams = (reading.source, reading.target) if is_apart else ((*reading.source, *reading.target),)
    return [torch.tensor([stream], dtype=torch.long, device=device) for stream in streams]
