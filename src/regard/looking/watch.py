"""Looking: what every layer attended to, kept for as long as you like."""

import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TypeVar, Unpack

from torch import Tensor, nn

from regard.attention import Pattern, Tap
from regard.attention.pattern_pictures import DrawOptions
from regard.attention.regions import Indices
from regard.attention.taps import active
from regard.errors import RegardError, UnknownName, lookup
from regard.looking.activations.listing import Sites, sites
from regard.looking.activations.site_hooks import open_sites
from regard.looking.activations.watching import Activations, Device, SiteWatcher, vector_taps
from regard.looking.eager import eager
from regard.looking.layer_names import (
    LayerNames,
    LayerTap,
    attach,
    attends_to_source,
    detach,
    match_names,
    matches,
    reads_source,
    reasons,
    shorten,
)
from regard.looking.recompute import is_rerun
from regard.looking.recording import Recording
from regard.pictures import Album
from regard.pictures.notebook import live
from regard.shapes import Stream

Calls = TypeVar("Calls")
KNOWN_COPIES = 12  # tensors of which it is known that they were copied already


class SeenOptions(DrawOptions, total=False):
    """How what was seen becomes pictures."""

    heads: Indices | None
    batch: int
    tokens: Sequence[str] | None
    source: Sequence[str] | None
    target: Sequence[str] | None


class Seen(Mapping[str, Pattern]):
    """What was seen: `seen[name]` is the last call, `seen.all(name)` every call, `seen.stream(name)` a block.

    `seen.activation(name)` is what passed a site: see `regard.sites`.
    """

    def __init__(
        self, names: list[str], left_out: Mapping[str, str] | None = None, activations: Activations | None = None
    ) -> None:
        self.names = names
        self.left_out: dict[str, str] = dict(left_out or {})  # layers that cannot be watched, with the reason
        self._patterns: dict[str, Recording] = {}
        self._streams: dict[str, list[Stream]] = {}
        self._activations: Activations = activations or Activations(())
        self.copies: Copies = Copies()

    def __getitem__(self, name: str) -> Pattern:
        return self._lookup(self._patterns, name.removesuffix(".pattern"), "pattern")[-1]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in self.names if name in self._patterns])

    def __len__(self) -> int:
        return len(self._patterns)

    def __contains__(self, name: object) -> bool:
        return name in self._patterns

    def all(self, name: str) -> list[Pattern]:
        """The pattern of every call, in order."""
        return list(self._lookup(self._patterns, name, "pattern"))

    def stream(self, name: str) -> Stream:
        """What a block put out when it was last called: (batch, length, width)."""
        return self._lookup(self._streams, name, "stream")[-1]

    def streams(self, name: str) -> list[Stream]:
        """What a block put out in every call."""
        return self._lookup(self._streams, name, "stream")

    def activation(self, name: str) -> Tensor:
        """What passed a site when it was last called: `decoder.0.feed_forward.output`."""
        return self.activations(name)[-1]

    def activations(self, name: str) -> list[Tensor]:
        """What passed a site in every call."""
        if name in self._activations.names and name not in self._activations.calls:
            raise UnknownName(f"{name} was watched, and nothing passed it")
        return lookup(self._activations.calls, name, "site")

    def show(
        self,
        *names: str,
        heads: Indices | None = None,
        batch: int = 0,
        tokens: Sequence[str] | None = None,
        source: Sequence[str] | None = None,
        target: Sequence[str] | None = None,
        **how: Unpack[DrawOptions],
    ) -> Album:
        """In a notebook the viewer's page, with the extra `notebook`; elsewhere the pictures of `album`.

        Whatever is said about how to draw (heads, scale, words, cells) asks for pictures.
        """
        draw_album = partial(
            self.album, *names, heads=heads, batch=batch, tokens=tokens, source=source, target=target, **how
        )
        if heads is not None or how:
            return draw_album()
        return live(self.looks(*names, tokens=tokens, source=source, target=target), batch, draw_album)

    def album(
        self,
        *names: str,
        heads: Indices | None = None,
        batch: int = 0,
        tokens: Sequence[str] | None = None,
        source: Sequence[str] | None = None,
        target: Sequence[str] | None = None,
        **how: Unpack[DrawOptions],
    ) -> Album:
        """Heads of the layers whose names fit, or of all, as pictures; a notebook draws them.

        `tokens` name what was read, or `source` and `target` where there are two texts; what else there is to say
        (heads, batch, scale, words, cells) is as in `Pattern.album`.
        """
        pictures = []
        for layer, (pattern, rows, columns) in self.looks(*names, tokens=tokens, source=source, target=target).items():
            pictures += pattern.album(heads, batch, rows=rows, columns=columns, title=layer, **how).pictures
        return Album(pictures)

    def looks(
        self,
        *names: str,
        tokens: Sequence[str] | None = None,
        source: Sequence[str] | None = None,
        target: Sequence[str] | None = None,
    ) -> dict[str, tuple[Pattern, Sequence[str] | None, Sequence[str] | None]]:
        """The last call of the layers whose names fit, or of all, with the names of its rows and of its columns."""
        return {
            layer: (
                self[layer],
                tokens or (source if reads_source(layer) else target),
                tokens or (source if attends_to_source(layer) else target),
            )
            for layer in match_names(names or ["*"], list(self))
        }

    def save(self, path: str | Path, *names: str, **how: Unpack[SeenOptions]) -> None:
        """Write them as one file, in the form that its ending says: .html, .svg, .png or .txt; `how` as in album()."""
        self.album(*names, **how).save(path)

    def _repr_html_(self) -> str:
        return self.album(cells=32)._repr_html_() if self else repr(self)

    def _lookup(self, table: Mapping[str, Calls], name: str, kind: str) -> Calls:
        if name in self.names and name not in table:
            other = self._streams if table is self._patterns else self._patterns
            if name in other:
                raise UnknownName(f"{name} has no {kind}: patterns come from layers, streams from blocks")
            raise UnknownName(f"{name} was watched, and nothing ran through it")
        return lookup(table, name, kind)

    def __repr__(self) -> str:
        return f"Seen({shorten([*self, *self._activations.calls]) or 'nothing yet'})"


class Watcher(LayerTap):
    """Puts what passes a layer into what was seen, except where it only repeats for the sake of a gradient."""

    def __init__(self, names: list[str], seen: Seen, grad: bool, values: bool) -> None:
        super().__init__(names)
        self.seen = seen
        self.grad = grad
        self.values = values
        self.copies: Copies = seen.copies

    def see(self, pattern: Pattern) -> None:
        if name := self.watched_name():
            recording = self.seen._patterns.setdefault(name, Recording())
            pattern = pattern if self.values else replace(pattern, value=None)
            if self.grad:  # the kernel's log-sum-exp has no gradient: it is computed anew
                recording.keep(replace(pattern, row_statistics=None).with_tensors(Tensor.clone))
            else:
                recording.add(pattern, self.copies)

    def block_output(self, x: Stream) -> None:
        if name := self.watched_name():
            self.seen._streams.setdefault(name, []).append(x if self.grad else x.detach().clone())

    def watched_name(self) -> str | None:
        """The layer of this call, if somebody looks there."""
        name = None if is_rerun() else self.next_name()
        return name if name in self.seen.names else None


class Copies:
    """Copies of masks, biases and positions, which nobody can change; layers that share one share its copy."""

    def __init__(self) -> None:
        self.last: OrderedDict[int, tuple[Tensor, int, Tensor]] = OrderedDict()

    def __call__(self, tensor: Tensor) -> Tensor:
        original, version, copy = self.last.get(id(tensor), (None, -1, tensor))
        if original is not tensor or version != tensor._version:
            copy = tensor.detach().clone()
        self.last[id(tensor)] = (tensor, tensor._version, copy)
        self.last.move_to_end(id(tensor))
        if len(self.last) > KNOWN_COPIES:
            self.last.popitem(last=False)
        return copy

    def forget(self) -> None:
        """Let go of what was copied; the copies stay with who has them."""
        self.last.clear()


@contextmanager
def watch(
    model: nn.Module, *names: str, grad: bool = False, values: bool = False, device: Device = None
) -> Iterator[Seen]:
    """Look at what a model attends to while it runs; the kernel stays fused.

    Watches every layer and block, or those whose names fit (`"encoder.*.self"`), or sites: what else passes inside of
    blocks (`"decoder.*.feed_forward.output"`, see `regard.sites`). Queries and keys are kept, no weights. `grad=True`
    keeps the graph, so that a loss of the weights can be differentiated; `values=True` keeps the values, too; `device`
    is where activations of sites are kept.
    """
    layer_names = LayerNames(model)
    chosen, known, site_names = choose_names(model, layer_names, names)
    activations = Activations(site_names, grad, device)
    seen = Seen(chosen, layer_names.left_out, activations)
    taps: dict[nn.Module, Tap] = {module: Tap() for module in layer_names.around}
    for module in dict.fromkeys(layer_names.module(name) for name in chosen):
        taps[module] = Watcher(layer_names.of(module), seen, grad, values)
    if unwatched := {
        name: reason for name, reason in layer_names.left_out.items() if not names or matches(name, names)
    }:
        warnings.warn(f"not watched: {reasons(unwatched)}", stacklevel=3)
    try:
        with ExitStack() as stack:
            stack.enter_context(attach_taps(taps))
            if known is not None:
                watcher = SiteWatcher(activations)
                stack.enter_context(attach_taps(dict.fromkeys(known.parts.tapped(), watcher)))
                stack.enter_context(attach_taps(vector_taps(known, activations)))
                stack.enter_context(open_sites(known.parts, watcher, [known[name] for name in site_names]))
            yield seen
    finally:
        seen.copies.forget()


def choose_names(
    model: nn.Module, layer_names: LayerNames, patterns: Sequence[str]
) -> tuple[list[str], Sites | None, list[str]]:
    """The layers and blocks, and the sites, whose names fit. What fits layers or blocks is no pattern of sites."""
    own = [pattern for pattern in patterns if any(fnmatchcase(name, pattern) for name in layer_names.names)]
    others = [pattern for pattern in patterns if pattern not in own]
    if not others:
        return layer_names.match(patterns or ["*"]), None, []
    known, chosen = match_sites(model, layer_names, others)
    layers = [known[name].layer_name for name in chosen if known[name].view == "pattern"]
    return layer_names.match([*own, *layers]), known, [name for name in chosen if known[name].view != "pattern"]


def match_sites(model: nn.Module, layer_names: LayerNames, patterns: Sequence[str]) -> tuple[Sites, list[str]]:
    """The sites whose names fit; where there are none, an error that lists the layers."""
    try:
        known = sites(model)
        return known, known.match(*patterns)
    except RegardError:
        unfit = f"no layer fits {patterns[0]!r}: known: {shorten(layer_names.names)}"
        raise UnknownName(f"{unfit}; nor a site: regard.sites(model) lists them") from None


@contextmanager
def attach_taps(taps: Mapping[nn.Module, Tap]) -> Iterator[None]:
    """Taps on their layers, at work in this context, until the block ends."""
    with ExitStack() as stack:
        for module, tap in taps.items():
            attach(module, tap)
            stack.callback(detach, module, tap)
        stack.enter_context(active(*taps.values()))
        stack.enter_context(eager())
        yield
