"""A forward pass of ours against transformers' with sdpa: python bench/forward.py --help.

The same random weights in both, at the sizes of BERT-base and of GPT-2-small without a head, taking turns. Both
answers are compared before a clock is started. transformers runs a second time in every round: how far it is from
itself is the noise that its distance from us has to be read with.
"""

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

SLOWER = 1.05  # more than this is slower
SECONDS = 30  # for one row, after a round to warm up


@dataclass(frozen=True)
class Case:
    """One model at one length. `padded`: every text but the first is shorter than the longest."""

    kind: str
    batch: int
    length: int
    padded: bool = False

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.batch}x{self.length}{'-padded' if self.padded else ''}"


ALL = [
    *(Case("bert", batch, length) for batch in (1, 8) for length in (32, 512)),
    *(Case("gpt2", batch, length) for batch in (1, 8) for length in (32, 512, 1024)),
    Case("bert", 8, 32, padded=True),
    Case("bert", 8, 512, padded=True),
    Case("gpt2", 8, 32, padded=True),
    Case("gpt2", 8, 512, padded=True),
]
CASES = {case.name: case for case in ALL}


def models(kind: str) -> tuple[Any, Any]:
    """A model of transformers with random weights, and ours with the same."""
    import torch
    import transformers

    from regard.checkpoints.tensors import read_into
    from regard.families import family_of
    from regard.families.options import Options
    from regard.models import build

    torch.manual_seed(0)
    if kind == "bert":
        told = transformers.BertConfig(attn_implementation="sdpa")
        architecture, theirs = "BertModel", transformers.BertModel(told)
    else:
        told = transformers.GPT2Config(attn_implementation="sdpa")
        architecture, theirs = "GPT2Model", transformers.GPT2Model(told)
    config = told.to_dict()
    family = family_of(config, kind)
    described = family.read(Options(config, kind), architecture)
    ours = build(described)
    read_into(ours, family.names(described, architecture), theirs.state_dict(), kind)
    if kind == "bert":
        theirs.pooler = None  # ours has none in hidden()
    return theirs.eval(), ours.eval()


def contenders(case: Case, theirs: Any, ours: Any) -> dict[str, Callable[[], Any]]:
    import torch

    tokens = torch.randint(0, theirs.config.vocab_size, (case.batch, case.length))
    told: dict[str, Any] = {} if case.kind == "bert" else {"use_cache": False}
    attention_mask = None
    if case.padded:
        lengths = torch.linspace(case.length, case.length / 2, case.batch).long()
        attention_mask = torch.arange(case.length) < lengths[:, None]
        told["attention_mask"] = attention_mask.long()

    def reference() -> Any:
        return theirs(tokens, **told).last_hidden_state

    def own() -> Any:
        return ours.hidden(tokens, attention_mask=attention_mask)

    chosen = slice(None) if attention_mask is None else attention_mask
    torch.testing.assert_close(own()[chosen], reference()[chosen], rtol=0, atol=1e-4)
    return {"transformers": reference, "ours": own, "transformers again": reference}


def row(case: Case, ways: dict[str, Callable[[], Any]], repeat: int) -> Any:
    from measure import interleaved, ratio, scaled
    from report import Row

    inner = max(1, 512 // (case.batch * case.length))
    times = interleaved(ways, repeat, inner=inner, seconds=SECONDS)
    mine, peer = (scaled(times, name, 1e3).median for name in ("ours", "transformers"))
    noise = ratio(times, "transformers again", "transformers")
    note = f"ours {mine:.1f} ms, transformers {peer:.1f} ms, noise {noise.low:.2f} – {noise.high:.2f}"
    return Row(case.name, ratio(times, "ours", "transformers"), "x", SLOWER, note=note)


@click.command()
@click.option("--only", default="", help="Cases to run, or the beginnings of their names; all unless given.")
@click.option("--repeat", default=9, show_default=True, help="Rounds of every comparison; long ones stop early.")
@click.option("--threads", "count", type=int, help="Threads of torch; as many as torch likes unless given.")
@click.option("--json", "file", type=click.Path(path_type=Path, dir_okay=False), help="Write the rows here, too.")
def main(only: str, repeat: int, count: int | None, file: Path | None) -> None:
    """Measure whole models on this machine."""
    import torch
    import transformers
    from measure import threads
    from report import Table, machine, plain, show
    from rich.console import Console

    transformers.logging.set_verbosity_error()
    console = Console()
    if not console.is_terminal:  # a file can be as wide as the table
        console = Console(width=140)
    wanted = [part.strip() for part in only.split(",")]
    for part in wanted:
        if not any(name.startswith(part) for name in CASES):
            raise click.BadParameter(f"{part!r}: cases are {', '.join(CASES)}", param_hint="--only")
    chosen = [case for name, case in CASES.items() if any(name.startswith(part) for part in wanted)]
    tables = []
    with torch.inference_mode(), threads(count) if count else nullcontext():
        told = f"{machine()}, transformers {transformers.__version__}"
        console.print(told, highlight=False)
        for kind in dict.fromkeys(case.kind for case in chosen):
            pair = models(kind)
            rows = [row(case, contenders(case, *pair), repeat) for case in chosen if case.kind == kind]
            tables.append(Table(f"{kind}: a forward pass of ours / transformers' with sdpa, batch x length", rows))
            show(tables[-1], console)
    if file:
        found = {"machine": told, "parts": [plain(table) for table in tables]}
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
