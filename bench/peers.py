"""Patching and attribution beside TransformerLens, captum and inseq, on the same weights: python bench/peers.py --help.

    python3 -m venv VENV
    VENV/bin/pip install -c constraints.txt torch==2.13.0
    VENV/bin/pip install -c constraints.txt transformer-lens==4.3.0 captum
    VENV/bin/pip install -c constraints.txt inseq==0.7.1
    PYTHONPATH=src VENV/bin/python bench/peers.py

Tiny models of transformers' GPT-2, GPT-NeoX, Llama and Marian, with random and with trained weights, and the built-in
translator. Each peer looks into the model of transformers; we look into that one (live) and into ours with the same
weights (loaded). The largest absolute difference of every table is printed, beside the largest number in it. Where a
peer and we differ, finite differences in float64 say who is right.
"""

import json
import logging
import os
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import click

os.environ.setdefault("HF_HUB_OFFLINE", "1")
CLOSE = 1e-4
EN_DE = Path(__file__).parents[1] / "src" / "regard" / "builtin" / "en-de"
SENTENCE = ("Where is the station?", "Wo ist der Bahnhof?")


class Cell(NamedTuple):
    """One table of numbers, ours against a peer's: how far apart they are at most, and how large they are."""

    model: str
    quantity: str
    peer: str
    live: float
    loaded: float
    largest: float
    note: str = ""

    @property
    def is_close(self) -> bool:
        return max(self.live, self.loaded) <= CLOSE


def differences(model: str, quantity: str, peer: str, theirs: Any, ours: Callable[[str], Any], note: str = "") -> Cell:
    live, loaded = (float((ours(kind).double() - theirs.double()).abs().max()) for kind in ("live", "loaded"))
    return Cell(model, quantity, peer, live, loaded, float(theirs.abs().max()), note)


def loaded_twin(model: Any) -> Any:
    """Our model with the weights of one of transformers."""
    from regard.checkpoints import load_model

    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return load_model(folder).model.eval()


def language_model_cells(name: str, model: Any) -> list[Cell]:
    """Grids of patches, a logit taken apart, and tokens scored."""
    import torch
    from parts import gradients, lens, tiny

    import regard

    both = {"live": model, "loaded": loaded_twin(model)}
    clean, corrupt = tiny.texts()
    token, other = int(clean[0, 3]), int(corrupt[0, 3])

    def metric(logits: torch.Tensor) -> torch.Tensor:
        return logits[0, -1, token] - logits[0, -1, other]

    bridge = lens.bridge(model)
    cells = []
    for over in lens.GRIDS:
        theirs = lens.grid(bridge, over, clean, corrupt, metric)

        def grid(kind: str, over: str = over) -> torch.Tensor:
            return regard.patch(both[kind], clean, corrupt, metric, over).values

        cells.append(differences(name, f"patching, {over}", "TransformerLens", theirs, grid))
    parts, unweighted = lens.logit_parts(bridge, clean, token)
    names = [part for part in parts if part != "bias"]

    def logit_parts(kind: str) -> torch.Tensor:
        ours = regard.logit_attribution(both[kind], clean, token).parts
        biases = sum(part for writer, part in ours.items() if writer.startswith("decoder.") and writer.endswith("bias"))
        return torch.tensor([*(ours[writer] for writer in names), biases])

    theirs = torch.tensor([*(parts[writer] for writer in names), parts["bias"]])
    logit = regard.logit_attribution(model, clean, token)
    missing = (
        f"sums to the logit within {abs(logit.rest):.0e}; logit_attrs alone misses {logit.logit - unweighted:+.2f}"
    )
    cells.append(differences(name, "logit attribution", "TransformerLens", theirs, logit_parts, missing))
    for method in ("gradient_x_input", "integrated_gradients", "occlusion"):
        theirs = gradients.captum_scores(model, clean, metric, method)

        def scores(kind: str, method: str = method) -> torch.Tensor:
            result = regard.attribute(both[kind], clean, metric, method, steps=gradients.STEPS)
            return result.scores["decoder"]

        cells.append(differences(name, method.replace("_", " "), "captum", theirs, scores))
    slopes = gradients.finite_differences(model, {"input_ids": clean}, metric, "decoder")[None]

    def gradient_scores(kind: str) -> torch.Tensor:
        return regard.attribute(both[kind], clean, metric, "gradient_x_input").scores["decoder"]

    cells.append(differences(name, "gradient x input", "finite differences", slopes, gradient_scores))
    return cells


def translator_cells(name: str, model: Any, tokenizer: Any, texts: tuple[str, str], methods: list[str]) -> list[Cell]:
    """Every source token and every token of the prefix, scored for each logit of a translation."""
    import torch
    from parts import gradients

    both = {"live": model, "loaded": loaded_twin(model)}
    cells = []
    for method in methods:
        peer = gradients.InseqScores(model, tokenizer, *texts, method)
        source, prefix, targets = peer.tokens, peer.written[:, :-1], peer.written[0, 1:].tolist()
        inputs = {"live": {"input_ids": source, "decoder_input_ids": prefix}, "loaded": (source, prefix)}
        metrics = [partial(one_logit, at, token) for at, token in enumerate(targets)]
        with torch.no_grad():
            logits = model(**inputs["live"]).logits
        wrong = max(abs(float(metric(logits) - logit)) for metric, logit in zip(metrics, peer.logits, strict=True))
        note = f"inseq's logits are {wrong:.2f} off the model's" if wrong > CLOSE else ""
        ours = partial(token_scores, both, inputs, metrics, method)
        for side, theirs in (("encoder", peer.source), ("decoder", peer.prefix)):
            what = f"{method.replace('_', ' ')}, {'source' if side == 'encoder' else 'prefix'}"
            cells.append(differences(name, what, "inseq", theirs, partial(ours, side), note))
            if method == "gradient_x_input":
                slopes = [gradients.finite_differences(model, inputs["live"], metric, side) for metric in metrics]
                apart = float((torch.stack(slopes) - theirs).abs().max())
                judged = f"inseq is {apart:.2g} off these" if apart > CLOSE else ""
                cells.append(
                    differences(name, what, "finite differences", torch.stack(slopes), partial(ours, side), judged)
                )
    return cells


def one_logit(position: int, token: int, logits: Any) -> Any:
    return logits[0, position, token]


def token_scores(models: Any, inputs: Any, metrics: Any, method: str, side: str, kind: str) -> Any:
    """Ours: a row of scores for every metric; sizes of occlusion alone, as inseq has them."""
    import torch
    from parts import gradients

    import regard

    rows = [
        regard.attribute(models[kind], inputs[kind], metric, method, steps=gradients.STEPS).scores[side][0]
        for metric in metrics
    ]
    return torch.stack(rows).abs() if method == "occlusion" else torch.stack(rows)


def all_cells(steps: int) -> list[Cell]:
    import torch
    import transformers
    from parts import lens, tiny

    cells = []
    for shape, build in tiny.SHAPES.items():
        cells += language_model_cells(f"{shape}, random", tiny.random_weights(build))
        model, loss = tiny.trained_weights(build, steps)
        cells += language_model_cells(f"{shape}, trained to {loss:.2f}", model)
    texts = ("w9 w23 w5 w30 w17", "w17 w30 w5 w23 w9")
    methods = ["gradient_x_input", "integrated_gradients", "occlusion"]
    with tempfile.TemporaryDirectory() as folder:
        tokenizer = translator_tokenizer(lens.word_tokenizer(tiny.VOCABULARY, Path(folder)))
    zeros = (tiny.PAD, tiny.UNKNOWN)  # what inseq puts in a token's place
    cells += translator_cells(
        "marian, random", tiny.zero_row(tiny.random_weights(tiny.marian), *zeros), tokenizer, texts, methods
    )
    model, loss = tiny.trained_weights(tiny.marian, steps)
    cells += translator_cells(f"marian, trained to {loss:.2f}", tiny.zero_row(model, *zeros), tokenizer, texts, methods)
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(EN_DE)
    translator = transformers.MarianMTModel.from_pretrained(EN_DE, dtype=torch.float32).eval()
    cells += translator_cells("en-de", translator, tokenizer, SENTENCE, methods[:1])
    cells += translator_cells("en-de, scale in its table", scale_in_table(translator), tokenizer, SENTENCE, methods[:1])
    return cells


def translator_tokenizer(tokenizer: Any) -> Any:
    """A tokeniser that ends a text, as Marian's do, and begins none."""
    from tokenizers.processors import TemplateProcessing

    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(single="$A w3", special_tokens=[("w3", 3)])
    return tokenizer


def scale_in_table(model: Any) -> Any:
    """The same translator with `scale_embedding` off: its table has the scale, its output has the table as it was."""
    import copy

    import torch
    import transformers

    config = copy.deepcopy(model.config)
    config.scale_embedding = config.tie_word_embeddings = False
    twin = transformers.MarianMTModel(config).eval()
    twin.load_state_dict(model.state_dict(), strict=False)
    with torch.no_grad():
        table = model.get_input_embeddings().weight
        twin.lm_head.weight = torch.nn.Parameter(table.clone())
        for side in (twin.model.encoder, twin.model.decoder):
            side.embed_tokens.weight = torch.nn.Parameter(table * config.d_model**0.5)
    return twin


@click.command(context_settings={"show_default": True})
@click.option("--steps", default=300, help="For how many steps tiny models learn.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(steps: int, as_json: bool) -> None:
    """Compare patching and attribution with peers, on the same weights."""
    import torch
    import transformers

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.set_num_threads(1)
    missing = [name for name in ("transformer_lens", "captum", "inseq") if not is_installed(name)]
    if missing:
        raise click.ClickException(f"{', '.join(missing)} expected: bench/peers.py says at its top what to install")
    cells = all_cells(steps)
    if as_json:
        click.echo(json.dumps([cell._asdict() for cell in cells], indent=1))
        return
    names = ("transformer-lens", "captum", "inseq", "transformers", "torch")
    click.echo(", ".join(f"{name} {version(name)}" for name in names))
    click.echo(f"{'model':28}{'quantity':32}{'beside':20}{'live':>9}{'loaded':>9}{'largest':>9}")
    for cell in cells:
        numbers = f"{cell.live:9.1e}{cell.loaded:9.1e}{cell.largest:9.2f}"
        note = "" if cell.is_close and not cell.note else f"  {cell.note}"
        click.echo(f"{cell.model:28}{cell.quantity:32}{cell.peer:20}{numbers}{note}")
    far = [cell for cell in cells if not cell.is_close]
    click.echo(f"{len(cells) - len(far)} of {len(cells)} tables are equal to {CLOSE:.0e}")


def is_installed(name: str) -> bool:
    from importlib.util import find_spec

    return find_spec(name) is not None


if __name__ == "__main__":
    main()
