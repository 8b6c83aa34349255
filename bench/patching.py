"""What looking inside costs: watching everything, head patches, attribution patching: python bench/patching.py --help.

A live GPT-2 of random weights, on one core, and the same weights under TransformerLens where it is installed
(bench/peers.py says how). Contenders take turns; times are ratios to a plain forward pass of the same model in the same
round, TransformerLens' to one of its own bridge, too. How things are measured is told in measure.py.
"""

import json
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler announces itself otherwise; read when torch is loaded
os.environ.setdefault("HF_HUB_OFFLINE", "1")
GOALS = {"watch everything": 1.3, "head patches": 1.1, "attribution patching": 5.0}
Ways = dict[str, tuple[Callable[[], Any], int]]
"""What is timed, and how many forward passes it needs by itself."""


def metric(logits: Any) -> Any:
    return logits[0, -1, 7] - logits[0, -1, 8]


def own_ways(model: Any, clean: Any, corrupt: Any, layers: list[int]) -> Ways:
    """Ours, on the live model."""
    import torch

    import regard

    names = list(regard.sites(model))
    forwards = 2 + len(layers) * model.config.n_head

    def plain() -> Any:
        with torch.no_grad():
            return model(clean)

    def watch(*names: str) -> Any:
        with torch.no_grad(), regard.watch(model, *names) as seen:
            model(clean)
        return seen

    return {
        "plain": (plain, 1),
        "watch patterns": (watch, 1),
        "watch everything": (lambda: watch(*names), 1),
        "attribution patching": (
            lambda: regard.patch(model, clean, corrupt, metric, "heads", exact=False, checks=0),
            1,
        ),
        "head patches": (lambda: regard.patch(model, clean, corrupt, metric, "heads", layers=layers), forwards),
    }


def lens_ways(model: Any, clean: Any, corrupt: Any, layers: list[int]) -> Ways:
    """TransformerLens' ways of the same: run_with_cache, its sweep of heads, and hooks forwards and backwards."""
    import pandas
    import torch
    from parts import lens

    bridge = lens.bridge(model)
    heads = model.config.n_head
    index = pandas.DataFrame({"layer": [layer for layer in layers for _ in range(heads)],
                              "head": [*range(heads)] * len(layers)})  # fmt: skip

    def is_head_output(name: str) -> bool:
        return name.endswith("attn.hook_z")

    def plain() -> Any:
        with torch.no_grad():
            return bridge(clean)

    def watch() -> Any:
        with torch.no_grad():
            return bridge.run_with_cache(clean)

    def sweep() -> Any:
        return lens.head_sweep(bridge, clean, corrupt, metric, is_head_output, index)

    return {
        "TransformerLens, plain": (plain, 1),
        "TransformerLens, watch everything": (watch, 1),
        "TransformerLens, attribution patching": (
            lambda: lens.attribution_patching(bridge, clean, corrupt, metric, is_head_output),
            1,
        ),
        "TransformerLens, head patches": (sweep, 2 + len(index)),
    }


@click.command(context_settings={"show_default": True})
@click.option("--blocks", default=12, help="Blocks of the model; 12 is GPT-2 small.")
@click.option("--length", default=1024, help="Tokens.")
@click.option("--repeat", default=3, help="Rounds; long ones stop early.")
@click.option("--sweep", is_flag=True, help="Patch the heads of all blocks, not of the middle one alone.")
@click.option("--peer/--no-peer", default=find_spec("transformer_lens") is not None, help="TransformerLens, too.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows here, too.")
def main(blocks: int, length: int, repeat: int, sweep: bool, peer: bool, file: Path | None) -> None:
    """Measure what watching and patching cost."""
    import logging
    import warnings

    import torch
    import transformers
    from measure import Spread, held, interleaved, ratio, threads
    from report import Row, Table, machine, plain, show
    from rich.console import Console

    import regard

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(0)
    config = transformers.GPT2Config(n_layer=blocks, n_positions=max(length, 1024), bos_token_id=2, eos_token_id=3)
    model = transformers.GPT2LMHeadModel(config).eval()
    clean = torch.randint(5, 5000, (1, length))
    corrupt = clean.clone()
    corrupt[0, 3] = 9
    layers = [*range(blocks)] if sweep else [blocks // 2]
    ways = own_ways(model, clean, corrupt, layers)
    if peer:
        ways |= lens_ways(model, clean, corrupt, layers)
    actions = {name: action for name, (action, _) in ways.items()}
    with threads(1):
        times = interleaved(actions, repeat, seconds=1800)
        memory = {name: held(actions[name]).after for name in actions if name.endswith("watch everything")}
    rows = []
    for name, (_, forwards) in ways.items():
        base = "TransformerLens, plain" if name.startswith("TransformerLens") else "plain"
        if name == base:
            seconds = Spread.of(times[name])
            rows.append(Row(f"{name} forward", seconds, "s"))
            continue
        spread = ratio(times, name, base)
        each = Spread(*(value / forwards for value in spread[:3]), spread.count)
        what = f"{name}, each of {forwards} forwards" if forwards > 1 else name
        rows.append(Row(f"{what} / plain", each, "x", goal=GOALS.get(name), note=f"{sum(times[name]):.1f} s in all"))
    stated = regard.sites(model).memory(batch=1, length=length) / 2**20
    for name, size in memory.items():
        goal = stated if name == "watch everything" else None
        note = "the goal is what sites.memory says before" if goal else ""
        rows.append(Row(f"{name}, memory kept", Spread.of([size]), "MiB", goal=goal, note=note))
    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=140)
    table = Table(f"GPT-2 of {blocks} blocks, {length} tokens, one core", rows)
    console.print(machine())
    show(table, console)
    if file:
        file.write_text(json.dumps([plain(table)], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
