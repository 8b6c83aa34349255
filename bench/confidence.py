"""How well a translator knows its bad translations: chrF below 30, found by its confidence and by probability alone.

    python bench/confidence.py en-de
    python bench/confidence.py de-en --lines 300 --json

Of Tatoeba's valid set and of newstest2013 one half of the lines is learned from, the other half measured; no other text
is looked at. "as shipped" is the calibration that the model's folder has, learned by recipes/panel.py from the same
half; "fitted now" is learned again. The area under the curve is how often a bad translation is found to be worse than a
good one; 0.5 is a guess.
"""

import json
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
FILES = {"Tatoeba, valid": "tatoeba-en-de/valid.tsv.xz", "newstest2013": "tests-en-de/newstest2013.tsv.xz"}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("model", default="en-de")
@click.option(
    "--data", type=click.Path(exists=True, file_okay=False, path_type=Path), default=ROOT.parent / "shared/data"
)
@click.option("--lines", default=1000, show_default=True, help="Of each file, both halves together.")
@click.option("--swap", is_flag=True, help="The source is the second column.  [default: where the name begins with de]")
@click.option("--json", "as_json", is_flag=True)
def main(model: str, data: Path, lines: int, swap: bool, as_json: bool) -> None:
    """Measure the confidence of MODEL."""
    import regard
    from regard.tasks.confidence import Calibration
    from regard.tasks.evaluation.calibrating import calibrate, calibration_error, halves, judge, roc_area
    from regard.text.lines import read_lines

    task = regard.load(model, task="translate")
    is_swapped = swap or model.startswith("de-")
    learned, measured = [], {}
    for name, file in FILES.items():
        rows = [tuple(line.split("\t")[:2]) for line in read_lines(data / file)][:lines]
        pairs = [(row[1], row[0]) if is_swapped else (row[0], row[1]) for row in rows]
        fit, held_out = halves(pairs)
        learned += judge(task, fit)
        measured[name] = list(judge(task, held_out))
    measured["both"] = [one for judged in measured.values() for one in judged]
    calibrations = {"mean log-probability": Calibration({"mean_score": 1.0}), "fitted now": calibrate(learned)}
    if (shipped := task.processor.settings.calibration) is not None:
        calibrations["as shipped"] = shipped
    report = {}
    for name, judged in measured.items():
        is_bad = [not one.is_good for one in judged]
        report[name] = {"sentences": len(judged), "bad": sum(is_bad)}
        for how, calibration in calibrations.items():
            chances = [calibration.probability(one.signs) for one in judged]
            report[name][how] = {"area": round(roc_area([-chance for chance in chances], is_bad), 4)}
            if how != "mean log-probability":
                report[name][how]["calibration_error"] = round(
                    calibration_error(chances, [one.is_good for one in judged]), 4
                )
    if as_json:
        click.echo(json.dumps(report, indent=1))
        return
    for name, one in report.items():
        click.echo(f"{name}: {one['sentences']} sentences that were not learned from, {one['bad']} bad")
        for how in calibrations:
            error = one[how].get("calibration_error")
            more = "" if error is None else f", calibration error {error:.3f}"
            click.echo(f"  {how:>20}: area {one[how]['area']:.3f}{more}")


if __name__ == "__main__":
    main()
