"""Where to look, and at what scale: a small sign somewhere in a picture, and two glimpses to read it.

A picture of 9 x 9 pixels has a sign of 3 x 3 in one of its nine fields, a line in one of four directions; all signs
have as many pixels. A glimpse network decides where it looks next (Mnih et al. 2014). With one scale it sees 3 x 3
pixels; with two it may look at 9 x 9 instead, in which every field is no more than how bright it is. Reading takes a
near look, finding takes a far one.

    python examples/saccades.py
"""

import json
from dataclasses import replace

import click
import torch
from torch import Tensor, nn

from regard.models import GlimpseConfig, GlimpseNetwork
from regard.training.optimisation.reinforce import reinforce

SIZE, FIELD, NOISE = 9, 3, 0.05
SIGNS = torch.tensor(
    [
        [[0, 0, 0], [1, 1, 1], [0, 0, 0]],
        [[0, 1, 0], [0, 1, 0], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, 0, 1], [0, 1, 0], [1, 0, 0]],
    ]
).float()
CONFIG = GlimpseConfig(SIZE, len(SIGNS), 64, glimpses=2, patch=FIELD)
MODELS = {
    "1 scale, 2 glimpses": CONFIG,
    "1 scale, 4 glimpses": replace(CONFIG, glimpses=4),
    "2 scales, 1 glimpse": replace(CONFIG, scales=2, glimpses=1),
    "2 scales, 2 glimpses": replace(CONFIG, scales=2),
}


def draw(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Pictures, which sign each has, and in which field."""
    across = SIZE // FIELD
    signs, fields = (torch.randint(high, (count,), generator=generator) for high in (len(SIGNS), across**2))
    placed = torch.zeros(count, across**2, FIELD, FIELD)
    placed[torch.arange(count), fields] = SIGNS[signs]
    images = placed.view(count, across, across, FIELD, FIELD).transpose(2, 3).reshape(count, SIZE, SIZE)
    return images + NOISE * torch.randn(images.shape, generator=generator), signs, fields


def train(config: GlimpseConfig, seed: int, steps: int) -> GlimpseNetwork:
    torch.manual_seed(seed)
    model, generator = GlimpseNetwork(config).train(), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(steps):
        images, signs, _ = draw(128, generator)
        optimiser.zero_grad()
        reinforce(model.glances(images, generator), signs).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model.eval()


@torch.no_grad()
def judge(model: GlimpseNetwork, seed: int) -> dict[str, object]:
    """The share of signs that are read, and of each glimpse the share that is wide, and that is at the right field."""
    images, signs, fields = draw(1000, torch.Generator().manual_seed(1000 + seed))
    glances = model.glances(images)
    is_wide, at = glances.positions >= SIZE**2, glances.positions % SIZE**2
    across = SIZE // FIELD
    field = at // SIZE // FIELD * across + at % SIZE // FIELD
    is_there = (field == fields[:, None]) & ~is_wide
    return {
        "read": (glances.logits.argmax(-1) == signs).float().mean().item(),
        "wide": is_wide.float().mean(0).tolist(),
        "at the sign": is_there.float().mean(0).tolist(),
    }


@click.command()
@click.option("--seeds", default=2, show_default=True)
@click.option("--steps", default=2000, show_default=True, help="Batches of 128 pictures.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(seeds: int, steps: int, as_json: bool) -> None:
    """Read a sign that has to be found first."""
    found = {
        name: [judge(train(config, seed, steps), seed) for seed in range(seeds)] for name, config in MODELS.items()
    }
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    click.echo(f"%{'':24}{'signs read':>12}{'wide looks, one by one':>26}{'near looks at the sign':>26}")
    for name, runs in found.items():
        for run in runs:
            shares = [" ".join(f"{100 * share:.0f}" for share in run[key]) for key in ("wide", "at the sign")]
            click.echo(f"{name:25}{100 * run['read']:>12.1f}{shares[0]:>26}{shares[1]:>26}")
    click.echo(f"by chance: {100 / len(SIGNS):.0f}")


if __name__ == "__main__":
    main()
