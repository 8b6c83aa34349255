"""What was written is read once more, all at once, so that every look at it has all of its rows.

Searches keep many texts and throw most away, and a compiled step shows nobody what it does. So texts are written
unwatched; those who look are shown a pass over the winners, with teacher forcing. Edits are at work in both.
"""

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.taps import active_taps, edits, looks, only_active, unwatched
from regard.errors import RegardError
from regard.looking import watch
from regard.looking.align.alignment_heads import AlignmentHead, AlignmentHeads
from regard.looking.layer_names import attends_to_source
from regard.models import Aligner, Decoder, Encoder, Model, Transformer
from regard.tasks.alignment import alignment_layer
from regard.tasks.inputs import Reading
from regard.text.padding import BATCH_TOKENS

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
    if isinstance(model, Aligner):
        return ["align"]
    kind = "self" if isinstance(model, Decoder) else "cross"
    return [f"decoder.{layer}.{kind}" for layer in range(model.config.decoder.stack.layers)]


def default_alignment_heads(model: Translator) -> AlignmentHeads:
    """What is read as an alignment where nobody chose: the mean of the heads of one layer, at the step that writes."""
    layers = cross_layers(model)
    return AlignmentHeads((AlignmentHead(layers[alignment_layer(len(layers))]),))


def alignment_weights(
    model: Translator, readings: Sequence[Reading], device: torch.device, heads: AlignmentHeads
) -> list[Tensor]:
    """How much each target token looked at each source token, (target, source) for every reading.

    Nobody else sees this pass; those who edit take part in it.
    """
    return [heads.of(weights) for weights in cross_weights(model, readings, device, heads.layers)]


def unedited_alignment_weights(
    model: Translator, readings: Sequence[Reading], device: torch.device, heads: AlignmentHeads
) -> list[Tensor]:
    """The same where nobody else may take part: for texts that were written without edits."""
    with only_active():
        return alignment_weights(model, readings, device, heads)


@torch.no_grad()
def cross_weights(
    model: Translator, readings: Sequence[Reading], device: torch.device, layers: Sequence[str]
) -> Iterator[dict[str, Tensor]]:
    """The weights of every head of some layers, (heads, target, source) for every reading."""
    for group in group_readings(readings):
        with unwatched(), watch(model, *layers) as seen:
            run_readings(model, group, device)
        for row, reading in enumerate(group):
            yield source_weights({layer: seen[layer] for layer in layers}, reading, row)


def source_weights(patterns: Mapping[str, Pattern], reading: Reading, row: int = 0) -> dict[str, Tensor]:
    """How much each token of a target looked at each of its source, (heads, target, source) for every layer.

    In one stream a token also looks at what was written before it: what is left is shared out anew, to sum to 1.
    """
    count = len(reading.source)
    weights: dict[str, Tensor] = {}
    for layer, pattern in patterns.items():
        begin = 0 if attends_to_source(layer) else count
        weights[layer] = pattern[row, :, begin : begin + len(reading.target), :count].cpu()
        if begin:
            weights[layer] /= weights[layer].sum(-1, keepdim=True).clamp(min=torch.finfo(weights[layer].dtype).tiny)
    return weights


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


def pad_rows(rows: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor | None]:
    """Tokens padded on the right, and which are real; None where all are."""
    width = max(map(len, rows))
    tokens = torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], dtype=torch.long, device=device)
    if all(len(row) == width for row in rows):
        return tokens, None
    return tokens, torch.arange(width, device=device) < torch.tensor([len(row) for row in rows], device=device)[:, None]


def group_readings(readings: Sequence[Reading]) -> Iterator[Sequence[Reading]]:
    """As many in a row as there is room for in a batch."""
    first = 0
    while first < len(readings):
        last, max_length = first, 1
        while last < len(readings):
            max_length = max(max_length, len(readings[last].source), len(readings[last].target))
            if last > first and max_length * (last + 1 - first) > BATCH_TOKENS:
                break
            last += 1
        yield readings[first:last]
        first = last
