"""What it costs to see the attention of a whole model: python bench/inspect_models.py --help.

The same weights four times, taking turns: transformers' sdpa without weights, its eager path with
output_attentions=True, the same model under regard.watch with one tile of every layer looked at, and our own model
watched in the same way. Random weights at the sizes of BERT-base and GPT-2-small. How things are measured is told
in measure.py.
"""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler announces itself otherwise; read when torch is loaded

CASES = {"bert-512": ("bert", 512), "gpt2-1024": ("gpt2", 1024), "gpt2-4096": ("gpt2", 4096)}
SHARE = {"bert-512": None, "gpt2-1024": 1 / 5, "gpt2-4096": 1 / 15}  # of the memory that eager weights take
SLOWER = 1.15  # what is within the noise of a machine


def reference(kind: str, length: int) -> Any:
    """A model of transformers with random weights."""
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    if kind == "bert":
        return transformers.BertModel(transformers.BertConfig(attn_implementation="sdpa")).eval()
    return transformers.GPT2Model(transformers.GPT2Config(n_positions=length, attn_implementation="sdpa")).eval()


def contenders(kind: str, length: int) -> dict[str, Callable[[], Any]]:
    """The four ways, on one text."""
    import torch

    import regard
    from regard.checkpoints import load_model

    torch.manual_seed(0)
    model = reference(kind, length)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        ours = load_model(folder).model
    tokens = torch.randint(0, model.config.vocab_size, (1, length))

    told = {"use_cache": False} if kind == "gpt2" else {}

    def run(implementation: str, **more: Any) -> Any:
        model.set_attn_implementation(implementation)
        return model(tokens, **told, **more)

    def looked_at(whose: Any, forward: Callable[[], Any]) -> list[Any]:
        with regard.watch(whose, "*.self") as seen:
            forward()
        return [seen, [pattern[0, 0, :64, :64] for pattern in seen.values()]]

    def watched() -> list[Any]:
        model.set_attn_implementation("sdpa")
        return looked_at(model, lambda: model(tokens, **told))

    return {
        "sdpa": lambda: run("sdpa"),
        "eager weights": lambda: run("eager", output_attentions=True),
        "watched": watched,
        "ours watched": lambda: looked_at(ours, lambda: ours.hidden(tokens)),
    }


def table(case: str, repeat: int) -> Any:
    import torch
    from measure import Spread, held, interleaved, ratio, scaled
    from report import Row, Table

    kind, length = CASES[case]
    with torch.no_grad():
        ways = contenders(kind, length)
        times = interleaved(ways, repeat, seconds=120)
        memory = {name: held(way).peak for name, way in ways.items()}
    rows = [Row("sdpa, no weights", scaled(times, "sdpa", 1e3), "ms", note=f"peak {memory['sdpa']:.0f} MiB")]
    for name in ("eager weights", "watched", "ours watched"):
        goal = SLOWER if name == "watched" else None
        note = f"{scaled(times, name, 1e3).median:.0f} ms, peak {memory[name]:.0f} MiB"
        rows.append(Row(f"{name} / sdpa, time", ratio(times, name, "sdpa"), "x", goal=goal, note=note))
    extra = memory["eager weights"] - memory["sdpa"]
    for name in ("watched", "ours watched"):
        share = (memory[name] - memory["sdpa"]) / extra
        goal = SHARE[case] if name == "watched" else None
        note = f"{memory[name] - memory['sdpa']:.0f} of {extra:.0f} MiB"
        rows.append(Row(f"{name}, extra memory / eager's", Spread(share, share, share, 1), "x", goal=goal, note=note))
    return Table(f"{case}: attention of every layer seen", rows)


@click.command()
@click.option("--only", default=",".join(CASES), show_default=True, help="Cases to run.")
@click.option("--repeat", default=5, show_default=True, help="Rounds of every comparison; long ones stop early.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows here, too.")
def main(only: str, repeat: int, file: Path | None) -> None:
    """Measure what it costs to see attention in whole models."""
    from report import machine, plain, show
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=140)
    unknown = [case for case in only.split(",") if case not in CASES]
    if unknown:
        raise click.UsageError(f"no case {', '.join(unknown)}: {', '.join(CASES)}")
    console.print(machine())
    tables = []
    for case in only.split(","):
        tables.append(table(case, repeat))
        show(tables[-1], console)
    if file:
        file.write_text(json.dumps([plain(one) for one in tables], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
