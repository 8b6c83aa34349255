"""What comes of a run: the answer, the tokens, and everything that looked at something on the way."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.models import Aligner, Decoder, Model, Transformer
from regard.tasks.inputs import Reading
from regard.tasks.replay import model_inputs
from regard.viewer import payload


@dataclass(frozen=True)
class AnswerLoss:
    """How unlikely a model finds an answer, summed over so many words or labels."""

    of: Callable[[Model], Tensor]
    count: int


@dataclass(frozen=True, eq=False)
class WatchedLayer:
    """What one layer attended to: from the tokens of a column to those of a column."""

    pattern: Pattern
    rows: str
    columns: str


@dataclass(frozen=True, eq=False)
class RunResult:
    """The answer, the columns of tokens, the watched layers. `reading` is what the model read at last, `probabilities`
    those of every label or answer: what an edit is compared by; `loss` is how unlikely a model finds the answer.
    `sentences` are those of a text that is read sentence by sentence, of which this is one."""

    answer: payload.AnswerPayload
    sides: tuple[payload.TokenColumn, ...]
    layers: dict[str, WatchedLayer]
    beam_tree: payload.BeamTreePayload | None = None
    alignment: payload.AlignmentPayload | None = None
    candidates: tuple[payload.CandidateTokens, ...] = ()
    reading: Reading | None = None
    probabilities: dict[str, float] = field(default_factory=dict)
    loss: AnswerLoss | None = None
    sentences: tuple[str, ...] = ()


def reading_loss(reading: Reading, prefix: int, device: torch.device) -> AnswerLoss | None:
    """How unlikely the tokens of a target are that come after the first `prefix` ones."""
    target = torch.tensor(reading.target[prefix:], dtype=torch.long, device=device)
    if not prefix or not len(target):
        return None

    def loss(model: Model) -> Tensor:
        assert isinstance(model, Transformer | Aligner | Decoder)
        assert model.output is not None
        x = model.hidden(*model_inputs(model, reading, device))
        log_probabilities = model.output(x[:, -len(target) - 1 : -1])[0].log_softmax(-1)
        return -log_probabilities.gather(1, target[:, None]).sum()

    return AnswerLoss(loss, len(target))
