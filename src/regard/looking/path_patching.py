"""Path patching: what senders tell receivers directly, with everything else frozen. Goldowsky-Dill et al. 2023."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.looking.activations.listing import Sites, sites
from regard.looking.edit import Edits, edit
from regard.looking.runs import Inputs, Metric, measure, run_model
from regard.looking.watch import Seen, watch
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis

Places = Mapping[str, Sequence[int] | None] | Sequence[str]
"""Sites by name, each with the heads that are meant, or None for all."""
WRITERS = ("*.head_output", "*.feed_forward.output")
"""What is frozen: everything that writes to the stream."""


@dataclass(frozen=True, repr=False)
class PathPatch(LabelledResult):
    """The metric of the clean run, of the corrupted run, and of the corrupted run with the clean path."""

    clean: float
    corrupt: float
    patched: float

    @property
    def effect(self) -> float:
        """The share of the difference between both runs that the path carries."""
        if self.clean == self.corrupt:
            raise RegardError("the metric is the same in both runs: there is no difference to bring back")
        return (self.patched - self.corrupt) / (self.clean - self.corrupt)

    def labelled(self) -> LabelledNumbers:
        values = [self.clean, self.corrupt, self.patched]
        return LabelledNumbers(values, (NamedAxis("run", ("clean", "corrupt", "patched")),))

    def __repr__(self) -> str:
        return f"PathPatch(clean {self.clean:.4g}, corrupt {self.corrupt:.4g}, patched path {self.patched:.4g})"


@torch.no_grad()
def path_patch(
    model: nn.Module, clean: Inputs, corrupt: Inputs, metric: Metric, *, senders: Places, receivers: Places
) -> PathPatch:
    """Patch the direct paths from senders to receivers: the receivers read what the senders have in the clean run,
    through the stream alone. Path patching: Goldowsky-Dill et al. 2023, Wang et al. 2023.

    First the corrupted run with the senders as in the clean one and every other head output and feed-forward output
    frozen as it was: what the receivers read there is kept. Then the corrupted run with the receivers reading that.
    Senders are head outputs or feed-forward outputs; receivers are sites that are read: queries, keys, values,
    `feed_forward.input`, a stream or `logits`.
    """
    known = sites(model)
    sending, receiving = named(known, senders), named(known, receivers)
    writers = [name for pattern in WRITERS for name in known if matches_writer(name, pattern)]
    if unknown := [name for name in sending if name not in writers]:
        raise RegardError(f"{unknown[0]} is no sender: a head_output or a feed_forward.output expected")
    with watch(model, *writers) as clean_seen:
        clean_metric = float(measure(metric, run_model(model, clean)))
    with watch(model, *writers) as corrupt_seen:
        corrupt_metric = float(measure(metric, run_model(model, corrupt)))
    with edit(model) as edits, watch(model, *receiving) as read:
        freeze(edits, writers, corrupt_seen)
        send(edits, sending, clean_seen)
        run_model(model, corrupt)
    with edit(model) as edits:
        send(edits, receiving, read)
        patched = float(measure(metric, run_model(model, corrupt)))
    return PathPatch(clean_metric, corrupt_metric, patched)


def matches_writer(name: str, pattern: str) -> bool:
    return name.endswith(pattern.removeprefix("*"))


def named(known: Sites, places: Places) -> dict[str, list[int] | None]:
    """Sites by their full names, with heads."""
    pairs = places.items() if isinstance(places, Mapping) else [(name, None) for name in places]
    return {name: None if heads is None else list(heads) for pattern, heads in pairs for name in known.match(pattern)}


def freeze(edits: Edits, names: Sequence[str], seen: Seen) -> None:
    """Everything that writes stays as it was."""
    for name in names:
        edits.site(name).set(seen.activation(name))


def send(edits: Edits, places: Mapping[str, list[int] | None], seen: Seen) -> None:
    """Some sites, or heads of them, are as they were seen elsewhere."""
    for name, heads in places.items():
        x: Tensor = seen.activation(name)
        edits.site(name, heads=heads).set(x if heads is None else x[:, heads])
