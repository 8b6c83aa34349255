"""Who takes part with one folder, and who is missing and why."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import torch

from regard.checkpoints import Checkpoint, CheckpointError, load_model
from regard.decoding import Constraints, decode, served
from regard.engine import serve
from regard.engine.build import why
from regard.models import DecoderConfig, TransformerConfig
from regard.tasks.contest import peers
from regard.tasks.contest.marks import TokenSpec
from regard.tasks.contest.shapes import Workload
from regard.tasks.writing import FolderGenerationConfig

Texts = list[list[int]]
Action = Callable[[], list[tuple[int, ...]]]
"""Writes, and gives the tokens of the best answer to each text, without the one that ended it."""
Entrant = Callable[[Workload, Texts], Action]
"""Made ready for some texts: what can be done before the clock starts is done."""

PRECISIONS = ("float32", "float16", "int8")
WITHOUT = "regard, PyTorch step"


@dataclass(frozen=True)
class Contenders:
    """Everybody who takes part, by name, and what is said of those who do not."""

    checkpoint: Checkpoint
    token_spec: TokenSpec
    entrants: dict[str, Entrant]
    missing: dict[str, str]


def contenders(folder: Path, scratch: Path, threads: int) -> Contenders:
    """All that can write with the model of a folder, ours first. `scratch` is for converted copies."""
    torch.set_num_threads(threads)
    checkpoint = load_model(folder)
    marks = token_spec(checkpoint)
    found: dict[str, Entrant] = {}
    missing: dict[str, str] = {}
    serve(checkpoint.model, wait=True)
    if served(checkpoint.model) is checkpoint.model:
        missing["the engine"] = why() or f"it does not serve {checkpoint.architecture}"
    else:
        able = [one for one in PRECISIONS if served(checkpoint.model, one) is not checkpoint.model]
        found |= {f"regard {precision}": partial(own, checkpoint, marks, precision) for precision in able}
    found[WITHOUT] = partial(own, checkpoint, marks, "float32", engine=False)
    converted = None
    for name, peer in peers.PEERS.items():
        if lacking := [module for module in peer.needs if find_spec(module) is None]:
            missing[name] = f"pip install {' '.join(lacking)}"
            continue
        try:
            if peer.converts:
                converted = converted or peers.convert(folder, scratch / "converted", marks)
            found[name] = peer.enter(converted if peer.converts else folder, marks, threads)
        except Exception as problem:  # whatever another program finds wrong with a folder
            missing[name] = " ".join(str(problem).split())[:120] or type(problem).__name__
    return Contenders(checkpoint, marks, found, missing)


def token_spec(checkpoint: Checkpoint) -> TokenSpec:
    """The special tokens of a folder that writes."""
    config, settings = checkpoint.model.config, FolderGenerationConfig(checkpoint)
    if not isinstance(config, TransformerConfig | DecoderConfig) or config.output is None:
        raise CheckpointError(f"{checkpoint.folder}: {checkpoint.architecture} does not write; give a model that does")
    pad = settings.number("pad_token_id")
    reads = isinstance(config, TransformerConfig)
    start = settings.number("decoder_start_token_id") if reads else settings.number("bos_token_id")
    ends = settings.numbers("eos_token_id")
    banned = {*settings.numbers("suppress_tokens"), *(word[0] for word in settings.phrases() if len(word) == 1)}
    banned = (banned | (set() if pad is None else {pad})) - set(ends)
    start = pad if start is None else start
    if reads and start is None:
        raise CheckpointError(f"{checkpoint.folder}: decoder_start_token_id is not told")
    vocabulary = config.decoder.embedding.vocabulary
    if reads:
        vocabulary = min(vocabulary, config.encoder.embedding.vocabulary)
    return TokenSpec(reads, vocabulary, start, ends, pad, tuple(sorted(banned)))


def own(
    checkpoint: Checkpoint, marks: TokenSpec, precision: str, case: Workload, texts: Texts, *, engine: bool = True
) -> Action:
    """Ours: the engine, or without it the PyTorch step."""
    tokens = torch.tensor(texts)
    source = tokens if marks.reads else None
    prefix = torch.full((len(texts), 1), marks.start or 0) if marks.reads else tokens
    rules = Constraints(ends=marks.ends, banned=marks.banned)

    def action() -> list[tuple[int, ...]]:
        with served_by(engine):
            found = decode(
                checkpoint.model,
                source,
                prefix=prefix,
                beam=case.beam,
                min_new_tokens=case.required_new_tokens,
                max_new_tokens=case.write,
                precision=precision,
                rules=rules,
            )
        return [tuple(decoded.hypotheses[0].ids) for decoded in found]

    return action


@contextmanager
def served_by(engine: bool) -> Iterator[None]:
    """Here the engine serves, or it is off."""
    before = os.environ.get("REGARD_ENGINE")
    if not engine:
        os.environ["REGARD_ENGINE"] = "off"
    try:
        yield
    finally:
        if before is not None:
            os.environ["REGARD_ENGINE"] = before
        elif not engine:
            del os.environ["REGARD_ENGINE"]
