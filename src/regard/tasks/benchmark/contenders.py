"""Who takes part with one folder, and who is missing and why."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import torch

from regard.checkpoints import Checkpoint, CheckpointError, load_model
from regard.decoding import Constraints, decode, serve_model
from regard.engine import serve
from regard.engine.build import why
from regard.models import DecoderConfig, TransformerConfig
from regard.tasks.benchmark import peers
from regard.tasks.benchmark.shapes import Action, Entrant, Texts, Workload
from regard.tasks.benchmark.token_spec import TokenSpec
from regard.tasks.generation_config import FolderGenerationConfig

PRECISIONS = ("float32", "float16", "int8")
WITHOUT = "regard, PyTorch step"


@dataclass(frozen=True)
class Contenders:
    """Everybody who takes part, by name, and what is said of those who do not."""

    checkpoint: Checkpoint
    token_spec: TokenSpec
    entrants: dict[str, Entrant]
    missing: dict[str, str]


def find_contenders(folder: Path, scratch: Path, threads: int) -> Contenders:
    """All that can write with the model of a folder, ours first. `scratch` is for converted copies."""
    torch.set_num_threads(threads)
    checkpoint = load_model(folder)
    spec = token_spec(checkpoint)
    entrants: dict[str, Entrant] = {}
    missing: dict[str, str] = {}
    serve(checkpoint.model, wait=True)
    if serve_model(checkpoint.model) is checkpoint.model:
        missing["the engine"] = why() or f"it does not serve {checkpoint.architecture}"
    else:
        precisions = [one for one in PRECISIONS if serve_model(checkpoint.model, one) is not checkpoint.model]
        entrants |= {f"regard {precision}": partial(own, checkpoint, spec, precision) for precision in precisions}
    entrants[WITHOUT] = partial(own, checkpoint, spec, "float32", engine=False)
    converted = None
    for name, peer in peers.PEERS.items():
        if missing_modules := [module for module in peer.needs if find_spec(module) is None]:
            missing[name] = f"pip install {' '.join(missing_modules)}"
            continue
        try:
            source = folder
            if peer.converts:
                source = converted = converted or peers.convert(folder, scratch / "converted", spec)
            entrants[name] = peer.enter(source, spec, threads)
        except Exception as problem:  # whatever another program finds wrong with a folder
            missing[name] = " ".join(str(problem).split())[:120] or type(problem).__name__
    return Contenders(checkpoint, spec, entrants, missing)


def token_spec(checkpoint: Checkpoint) -> TokenSpec:
    """The special tokens of a folder that writes."""
    config, settings = checkpoint.model.config, FolderGenerationConfig(checkpoint.folder, checkpoint.config)
    if not isinstance(config, TransformerConfig | DecoderConfig) or config.output is None:
        raise CheckpointError(f"{checkpoint.folder}: {checkpoint.architecture} does not write; give a model that does")
    reads = isinstance(config, TransformerConfig)
    vocabulary = config.decoder.embedding.vocabulary
    pad = settings.token("pad_token_id", vocabulary)
    start = settings.token("decoder_start_token_id" if reads else "bos_token_id", vocabulary)
    ends = settings.tokens["eos_token_id"]
    banned = {*settings.tokens["suppress_tokens"], *(word[0] for word in settings.phrases if len(word) == 1)}
    banned = (banned | (set() if pad is None else {pad})) - set(ends)
    start = pad if start is None else start
    if reads and start is None:
        raise CheckpointError(f"{checkpoint.folder}: decoder_start_token_id is not told")
    if reads:
        vocabulary = min(vocabulary, config.encoder.embedding.vocabulary)
    return TokenSpec(reads, vocabulary, start, ends, pad, tuple(sorted(banned)))


def own(
    checkpoint: Checkpoint,
    token_spec: TokenSpec,
    precision: str,
    workload: Workload,
    texts: Texts,
    *,
    engine: bool = True,
) -> Action:
    """Ours: the engine, or without it the PyTorch step."""
    tokens = torch.tensor(texts)
    source = tokens if token_spec.reads else None
    prefix = torch.full((len(texts), 1), token_spec.start or 0) if token_spec.reads else tokens
    constraints = Constraints(ends=token_spec.ends, banned=token_spec.banned)

    def action() -> list[tuple[int, ...]]:
        with served_by(engine):
            results = decode(
                checkpoint.model,
                source,
                prefix=prefix,
                beam=workload.beam,
                min_new_tokens=workload.required_new_tokens,
                max_new_tokens=workload.write,
                precision=precision,
                constraints=constraints,
            )
        return [tuple(decoded.hypotheses[0].ids) for decoded in results]

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
