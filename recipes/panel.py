"""What the built-in translators are measured by, written where it is shown: python recipes/panel.py --help.

Both directions choose their alignment heads together, on lines of Tatoeba's valid set, so that they agree best; each
learns what its bad translations look like, from one half of the lines of Tatoeba's valid set and newstest2013; then it
is scored on the panel, and its card says what came of it. docs/figures.json has the same numbers for the pages.
`make figures` runs this, then writes the pages anew (docs/make_figures.py).

newstest2013 and Tatoeba's valid set are what models are chosen by. newstest2015 and NTREX-128 are for reports alone:
--report measures them, too; what it said before stays as long as the weights do.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from regard.card import CARD
from regard.checkpoints.files import write_with_manifest
from regard.text.lines import read_lines

ROOT = Path(__file__).parents[1]
BUILTIN = ROOT / "src" / "regard" / "builtin"
FIGURES = ROOT / "docs" / "figures.json"
GENERATION = "generation_config.json"
DIRECTIONS = {"en-de": False, "de-en": True}  # whether pairs are read the other way round
PANEL = {
    "Tatoeba, test": ("tatoeba-en-de/test.tsv.xz",),
    "newstest2013": ("tests-en-de/newstest2013.tsv.xz",),
    "Multi30k, test2016": ("multi30k/raw/test_2016_flickr.en.gz", "multi30k/raw/test_2016_flickr.de.gz"),
}
REPORT = {"newstest2015": ("tests-en-de/newstest2015.tsv.xz",), "NTREX-128": ("tests-en-de/ntrex128.tsv.xz",)}
NAMES = {"bleu": "BLEU", "chrf": "chrF", "perplexity": "perplexity"}
CALIBRATED_ON = ("tatoeba-en-de/valid.tsv.xz", "tests-en-de/newstest2013.tsv.xz")
CALIBRATION_LINES = 1000  # of each, of which every other one is learned from
LINES = 300  # of Tatoeba's valid set, on which heads are chosen


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, type=click.Choice(list(DIRECTIONS)))
@click.option(
    "--data", type=click.Path(exists=True, file_okay=False, path_type=Path), default=ROOT.parent / "shared/data"
)
@click.option("--report", is_flag=True, help="Measure newstest2015 and NTREX-128, too.")
@click.option("--beam", default=4, show_default=True)
def main(names: tuple[str, ...], data: Path, report: bool, beam: int) -> None:
    """Measure the built-in translators NAMES, both unless some are named, and write what came of it."""
    figures: dict[str, Any] = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.is_file() else {}
    for name, heads in alignment_heads(data).items():
        click.echo(f"{name}: aligns by {heads}")
        rewrite(name, {GENERATION: with_entry(BUILTIN / name / GENERATION, "alignment", heads)})
    for name in names or DIRECTIONS:
        weights = confidence(name, data)
        click.echo(f"{name}: confidence by {weights}")
        rewrite(name, {GENERATION: with_entry(BUILTIN / name / GENERATION, "confidence", weights)})
        digest = hashlib.sha256((BUILTIN / name / "model.safetensors").read_bytes()).hexdigest()
        known = figures.get(name, {})
        known = figures[name] = (
            known if known.get("weights") == digest else {"weights": digest}
        )  # else of another model
        for panel, files in (PANEL | (REPORT if report else {})).items():
            known[panel] = measure(name, [data / file for file in files], beam)
            click.echo(f"{name}: {panel}: {known[panel]['scores']}")
        known["sane"] = sane(name)
        click.echo(f"{name}: {known['sane']}")
        card = (BUILTIN / name / CARD).read_text(encoding="utf-8")
        panels = {panel: known[panel] for panel in PANEL | REPORT if panel in known}
        rewrite(name, {CARD: scored(card, name, panels, known["sane"])})
    FIGURES.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def alignment_heads(data: Path) -> dict[str, str]:
    """The heads of each direction whose links agree best with the other's."""
    import regard
    from regard.tasks.align import Direction, WordAligner

    rows = (line.split("\t") for line in read_lines(data / "tatoeba-en-de/valid.tsv.xz"))
    pairs = [(english, german) for english, german, *_ in rows][:LINES]
    there, back = (Direction.of(regard.load(name)) for name in DIRECTIONS)
    aligner = WordAligner(there, back).choose_heads(pairs)
    assert aligner.backward is not None
    return {"en-de": str(aligner.forward.heads), "de-en": str(aligner.backward.heads)}


def confidence(name: str, data: Path) -> dict[str, float]:
    """How the signs of a good translation are weighed, by one half of the lines; bench/confidence.py measures on the
    other."""
    import regard
    from regard.tasks.evaluation.calibrating import calibrate, halves, judge

    task, judged = regard.load(name, task="translate"), []
    for file in CALIBRATED_ON:
        rows = [line.split("\t") for line in read_lines(data / file)][:CALIBRATION_LINES]
        pairs = [(row[1], row[0]) if DIRECTIONS[name] else (row[0], row[1]) for row in rows]
        judged += judge(task, halves(pairs)[0])
    return {sign: round(weight, 6) for sign, weight in calibrate(judged).weights.items()}


def measure(name: str, files: Iterable[Path], beam: int) -> dict[str, Any]:
    """What `regard evaluate` says, as far as the pages and cards show it."""
    import regard
    from regard.tasks.evaluation import evaluate
    from regard.tasks.evaluation.measuring import corpus_for

    task = regard.load(name)
    result = evaluate(task, corpus_for(task, list(files), swap=DIRECTIONS[name]), beam=beam).plain()
    signatures = {key: one["signature"] for key, one in result["details"].items() if "signature" in one}
    scores = {key: round(result["scores"][key], 4) for key in NAMES if key in result["scores"]}
    return {"texts": result["texts"], "beam": beam, "scores": scores, "signatures": signatures}


def sane(name: str) -> dict[str, Any]:
    """What bench/sane.py counts."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "sane.py"), name, "--json"], check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


def scored(card: str, name: str, panel: dict[str, dict[str, Any]], counts: dict[str, Any]) -> str:
    """A card with other scores: the entry for programs at its beginning, and the table for people."""
    results = [
        {
            "task": {"type": "translation"},
            "dataset": {"name": title, "type": title, "split": "test"},
            "metrics": [{"type": key, "name": NAMES[key], "value": value} for key, value in one["scores"].items()],
        }
        for title, one in panel.items()
    ]
    index = f"model-index: {json.dumps([{'name': name, 'results': results}], ensure_ascii=False)}"
    front, rest = card.split("\n---\n", 1)
    lines = [line for line in front.splitlines() if not line.startswith("model-index:")]
    head = f"| | texts | {' | '.join(NAMES.values())} |\n|---|---:|{'---:|' * len(NAMES)}\n"
    rows = "".join(
        f"| {title} | {one['texts']:,} | {' | '.join(format(one['scores'][key], '.2f') for key in NAMES)} |\n"
        for title, one in panel.items()
    )
    first = next(iter(panel.values()))
    signatures = "".join(f"- {NAMES[key]}: `{signature}`\n" for key, signature in first["signatures"].items())
    said = (
        f"Of {counts['sentences']:,} made-up sentences with rare names, numbers and dates {counts['damaged']} lose one "
        f"of them; of {counts['hard_inputs']:,} inputs that are no good sentences {counts['loops']} loop "
        "(`python bench/sane.py`)."
    )
    section = f"## Scores\n\nWith beam {first['beam']}:\n\n{head}{rows}\n{signatures}\n{said}\n\n## Limits"
    return (
        "\n".join([*lines, index]) + "\n---\n" + re.sub(r"## Scores\n.*?## Limits", lambda _: section, rest, flags=re.S)
    )


def with_entry(path: Path, key: str, value: object) -> str:
    return json.dumps(json.loads(path.read_text(encoding="utf-8")) | {key: value}, indent=2) + "\n"


def rewrite(name: str, texts: dict[str, str]) -> None:
    """The folder of a built-in model with some files written anew, and its manifest."""

    def fill(beside: Path) -> None:
        for path in (BUILTIN / name).iterdir():
            if path.name != "manifest.json":
                shutil.copyfile(path, beside / path.name)
        for file, text in texts.items():
            (beside / file).write_text(text, encoding="utf-8")

    write_with_manifest(BUILTIN / name, fill)


if __name__ == "__main__":
    main()
