"""The peers' code on the pages docs/from-*.md, run as it stands beside ours: python bench/pages.py --help.

    python3 -m venv VENV
    VENV/bin/pip install -c constraints.txt torch==2.13.0
    VENV/bin/pip install -c constraints.txt transformer-lens==4.3.0 captum
    VENV/bin/pip install -c constraints.txt inseq==0.7.1 nnsight bertviz
    PYTHONPATH=src VENV/bin/python bench/pages.py

The blocks ```Python of a page are the peer's, those ```python ours. Names of the Hub that they load are folders here:
the built-in models, and a small BERT. What both computed is compared where both define it alike.
"""

import io
import json
import os
import re
import tempfile
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click

os.environ.setdefault("HF_HUB_OFFLINE", "1")
ROOT = Path(__file__).parents[1]
BUILTIN = ROOT / "src" / "regard" / "builtin"
FOLDERS = {"gpt2": "shakespeare", "openai-community/gpt2": "shakespeare", "Helsinki-NLP/opus-mt-en-de": "en-de"}
"""Names of the Hub, and the built-in models that stand for them."""
CLOSE = 1e-4


class Page(NamedTuple):
    """A page: the package that its peer is, and what both computed: theirs and ours, as Python."""

    package: str
    distribution: str
    same: dict[str, str] = {}  # noqa: RUF012  # nobody changes it


PAGES = {
    "from-transformerlens": Page(
        "transformer_lens",
        "transformer-lens",
        {
            "logits": "logits",
            "z.transpose(1, 2)": "z",
            "pattern": "pattern.weights()",
            "edited": "edited",
            "grid": "grid.values",
            "heads": "heads.values",
        },
    ),
    "from-nnsight": Page(
        "nnsight",
        "nnsight",
        {"hidden": "hidden", "logits": "logits", "patched": "patched", "gradient": "gradient"},
    ),
    "from-bertviz": Page(
        "bertviz", "bertviz", {"outputs_of_encoder[1]": 'seen_of_encoder["encoder.1.self"].weights()'}
    ),
    "from-inseq": Page("inseq", "inseq"),
    "from-captum": Page("captum", "captum", {"scores": "scores"}),
}


def blocks(text: str) -> list[tuple[str, str]]:
    """The blocks of a page in order: `python` or `Python`, and the code."""
    return re.findall(r"^```([Pp]ython)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def make_hub(folder: Path) -> None:
    """What the pages load by name, as folders that need no network."""
    for name, built_in in FOLDERS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(BUILTIN / built_in, target_is_directory=True)


def make_bert(folder: Path) -> None:
    """A small BERT as BertViz' own copy of it loads them."""
    import torch
    from bertviz.transformers_neuron_view import BertConfig, BertModel, BertTokenizer

    name = folder.name  # from now on no address from which it would be downloaded
    BertConfig.pretrained_config_archive_map.pop(name)
    BertModel.pretrained_model_archive_map.pop(name)
    BertTokenizer.pretrained_vocab_files_map["vocab_file"][name] = str(folder / "vocab.txt")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "on", "it"]
    config = BertConfig(len(words), hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24)
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    (folder / "config.json").write_text(config.to_json_string(), encoding="utf-8")
    torch.save(BertModel(config).state_dict(), folder / "pytorch_model.bin")


class Outcome(NamedTuple):
    """What came of a page: how many blocks of the peer ran, and how far apart what both computed is."""

    page: str
    peer: str
    blocks: int
    differences: dict[str, float]
    skipped: str = ""

    @property
    def is_close(self) -> bool:
        return all(difference <= CLOSE for difference in self.differences.values())


def run_page(name: str) -> Outcome:
    """Run a page from top to bottom, the peer's blocks and ours, each in names of their own."""
    page = PAGES[name]
    if find_spec(page.package) is None:
        return Outcome(name, page.distribution, 0, {}, f"{page.distribution} is not installed: see bench/pages.py")
    found = blocks((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    first = next(number for number, (kind, _) in enumerate(found) if kind == "python")
    ours: dict[str, Any] = {"__name__": "__main__"}
    theirs: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as hub, chdir(hub):
        make_hub(Path(hub))
        if name == "from-bertviz":
            make_bert(Path(hub) / "bert-base-uncased")
        for number, (kind, code) in enumerate(found):
            run_block(code, f"{name}.md, block {number}", ours if kind == "python" else theirs)
            if number == first:
                theirs = {**ours, **theirs}  # the model and the text that both look at
            keep_attentions(ours, theirs)
        differences = {mine: difference(eval(peer, theirs), eval(mine, ours)) for peer, mine in page.same.items()}
    count = sum(kind == "Python" for kind, _ in found)
    return Outcome(name, f"{page.distribution} {version(page.distribution)}", count, differences)


def keep_attentions(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """What the page on BertViz computes first has other names by its end."""
    if "outputs" in theirs:
        theirs.setdefault("outputs_of_encoder", getattr(theirs["outputs"], "attentions", None))
    if "seen" in ours:
        ours.setdefault("seen_of_encoder", ours["seen"])


def run_block(code: str, name: str, names: dict[str, Any]) -> None:
    """Run one block quietly; nnsight reads the source of what runs, so it is a file."""
    path = Path(f"{name.replace(', ', ' ').replace(' ', '_')}.py")
    path.write_text(code, encoding="utf-8")
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(code, str(path.resolve()), "exec"), names)


def difference(theirs: Any, ours: Any) -> float:
    import torch

    theirs, ours = torch.as_tensor(theirs).detach(), torch.as_tensor(ours).detach()
    return float((theirs.double() - ours.double()).abs().max())


@click.command()
@click.option("--page", "names", multiple=True, type=click.Choice([*PAGES]), help="This page alone; several times.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(names: tuple[str, ...], as_json: bool) -> None:
    """Run what the pages for those who come from other tools say that these do."""
    import torch

    torch.set_num_threads(1)
    outcomes = [run_page(name) for name in names or PAGES]
    if as_json:
        click.echo(json.dumps([outcome._asdict() for outcome in outcomes]))
        return
    for outcome in outcomes:
        far = "; ".join(f"{what} {apart:.1e}" for what, apart in outcome.differences.items())
        told = outcome.skipped or f"{outcome.blocks} blocks of {outcome.peer} ran" + (f"; apart: {far}" if far else "")
        click.echo(f"{outcome.page:22}{told}")
    if not all(outcome.is_close for outcome in outcomes):
        raise click.ClickException(f"what both computed is further apart than {CLOSE:.0e}")


if __name__ == "__main__":
    main()
