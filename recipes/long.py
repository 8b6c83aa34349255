"""A decoder that reads a whole play: what it starts from, and whether it reads as well far in: --help.

`shakespeare` knows 256 positions. Here its weights go on in a decoder without a table of positions: layers that see a
window feel distances (rotary), layers that see the whole text feel none, so that nothing in it ends at some length;
Yang et al. 2025 (Rope to Nope and Back Again) found that such a mixture carries further than it was taught.

    python recipes/long.py start shakespeare runs/shakespeare-long-start
    regard train recipes/shakespeare-long.toml
    python recipes/long.py score runs/shakespeare-long/model ../shared/data/tinyshakespeare/input.txt.xz
    python recipes/ship.py runs/shakespeare-long shakespeare-long
    python recipes/long.py score shakespeare-long ../shared/data/tinyshakespeare/input.txt.xz --json > long.json
    python recipes/ship.py runs/shakespeare-long shakespeare-long --scores long.json
"""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click
import torch
import torch.nn.functional as F
from torch import Tensor

from regard.config import DecoderConfig, PositionConfig
from regard.models import Decoder

WINDOW, GLOBAL_LAYERS, MAX_POSITIONS = 256, [1, 3], 131_072
NEAR, FAR = (1_000, 2_000), (16_000, 32_000)  # tokens before the ones that are scored
ROWS = 1_024  # whose words are scored at a time


def long_config(config: DecoderConfig) -> DecoderConfig:
    """The same layers without a table of positions."""
    stack = config.decoder.stack
    head_width = stack.attention.head_width or stack.width // stack.attention.heads
    side = replace(
        config.decoder,
        position=PositionConfig("none"),
        local_position=PositionConfig("rotary", {"head_width": head_width}),
        stack=replace(stack, window=WINDOW, global_layers=GLOBAL_LAYERS),
    )
    return replace(config, decoder=side)


class NearAndFar(NamedTuple):
    """Bits that the same tokens take, after few tokens and after many, and how many tokens and characters these are."""

    near: float
    far: float
    tokens: int
    characters: int


def token_bits(model: Decoder, ids: Tensor, first: int) -> Tensor:
    """What each token from `first` on takes after all those before it."""
    assert model.output is not None
    with torch.no_grad():
        hidden = model.hidden(ids[None, :-1])[0, first - 1 :]
        losses = [
            F.cross_entropy(model.output(x), wanted, reduction="none")
            for x, wanted in zip(hidden.split(ROWS), ids[first:].split(ROWS), strict=True)
        ]
    return torch.cat(losses).double() / math.log(2)


def near_and_far(
    model: Decoder, ids: Tensor, near: tuple[int, int] = NEAR, far: tuple[int, int] = FAR
) -> tuple[Tensor, Tensor]:
    """Bits of the tokens from far[0] to far[1]: in pieces, each after near[0] to near[1] tokens, and all in one go."""
    step = near[1] - near[0]
    pieces = [
        token_bits(model, ids[start - near[0] : min(start + step, far[1])], near[0])
        for start in range(far[0], far[1], step)
    ]
    return torch.cat(pieces), token_bits(model, ids[: far[1]], far[0])


def score_text(model_name: str, text: str) -> NearAndFar:
    import regard

    task = regard.load(model_name, task="generate")
    ids = torch.tensor(task.tokenizer.encode(text, bare=True).ids)
    if len(ids) < FAR[1]:
        raise click.ClickException(f"a text of {FAR[1]:,} tokens expected, this one has {len(ids):,}")
    assert isinstance(task.model, Decoder)
    near, far = near_and_far(task.model, ids)
    letters = len(task.tokenizer.decode(ids[slice(*FAR)].tolist()))
    return NearAndFar(float(near.sum()), float(far.sum()), len(far), letters)


@click.group()
def main() -> None:
    """A decoder for long texts: its start and its measure."""


@main.command()
@click.argument("model")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def start(model: str, folder: Path) -> None:
    """Write MODEL, a decoder with learned positions, to FOLDER as one without them; it has to learn that yet."""
    from regard.checkpoints import load_model
    from regard.checkpoints.save import save_model
    from regard.models import build
    from regard.tasks.find import builtin

    found = load_model(builtin().get(model, Path(model)))
    assert isinstance(found.model, Decoder)
    grown = build(long_config(found.model.config))
    weights = {name: weight for name, weight in found.model.state_dict().items() if name in grown.state_dict()}
    grown.load_state_dict(weights)
    entries = {"model_type": "regard", "max_position_embeddings": MAX_POSITIONS}
    entries |= {"eos_token_id": found.config["eos_token_id"]}
    files = [path for path in Path(found.folder).iterdir() if path.name.startswith("tokenizer")]
    save_model(grown, folder, entries, "Decoder", files=files)
    click.echo(f"wrote {folder}")


@main.command()
@click.argument("model")
@click.argument("text", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--share", default=0.1, show_default=True, help="The end of TEXT that is read: what nobody learned from.")
@click.option("--json", "as_json", is_flag=True, help="Print what recipes/ship.py --scores reads.")
def score(model: str, text: Path, share: float, as_json: bool) -> None:
    """Bits per character of the same tokens, after 1,000 to 2,000 others and after 16,000 to 32,000."""
    from regard.text.lines import read_lines

    whole = "".join(read_lines(text, ends=True))
    bits = score_text(model, whole[-int(share * len(whole)) :])
    near, far = bits.near / bits.characters, bits.far / bits.characters
    if as_json:
        scores = {"near_bits_per_character": near, "far_bits_per_character": far}
        click.echo(json.dumps({"texts": 1, "scores": scores}))
        return
    click.echo(
        f"{bits.tokens:,} tokens, {bits.characters:,} characters: {near:.4f} bits per character after {NEAR[0]:,} to "
        f"{NEAR[1]:,} tokens, {far:.4f} after {FAR[0]:,} to {FAR[1]:,}"
    )


if __name__ == "__main__":
    main()
