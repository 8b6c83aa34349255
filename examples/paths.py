"""How far a word's influence reaches: the gradient of an output with respect to an input n positions before it.

A recurrent net passes a word on from position to position, so its path is n steps long. A convolution of k tokens takes
k - 1 positions a layer: about n / k steps. Dilated convolutions double their reach each layer: log2 n steps. Attention
looks there in one step, whatever n is: Vaswani et al. 2017, table 1. Weights are fresh, of one width, and the numbers
are means over seeds, relative to those of the word just before.

    python examples/paths.py --chart paths.svg
"""

from collections.abc import Callable
from pathlib import Path

import click
import torch
from torch import Tensor, nn

from regard.attention import Causal
from regard.layers import MultiHead
from regard.layers.recurrent import Recurrent
from regard.pictures.chart import lines

WIDTH, LENGTH = 64, 256
DISTANCES = [2**power for power in range(8)]  # 1 to 128
KERNEL = (
    17  # tokens of a plain convolution: eight layers of it reach 128 positions, as eight dilated ones of two tokens do
)

Net = Callable[[Tensor], Tensor]


def recurrent() -> Net:
    """A GRU, as torch starts it."""
    net = Recurrent("gru", WIDTH, WIDTH)
    return lambda x: net(x)[0]


def convolutions(size: int, dilations: list[int]) -> Net:
    """Causal convolutions of so many tokens, with the way around each layer."""
    layers = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, size, dilation=dilation) for dilation in dilations)

    def run(x: Tensor) -> Tensor:
        x = x.mT
        for layer in layers:
            x = x + torch.relu(layer(nn.functional.pad(x, ((size - 1) * layer.dilation[0], 0))))
        return x.mT

    return run


def convolution() -> Net:
    """Eight plain ones."""
    return convolutions(KERNEL, [1] * 8)


def dilated() -> Net:
    """Eight of two tokens each, whose dilation doubles: van den Oord et al. 2016."""
    return convolutions(2, [2**power for power in range(8)])


def attention() -> Net:
    """One layer of four heads that look back, with the way around it."""
    layer = MultiHead(WIDTH, 4)
    return lambda x: x + layer(x, mask=Causal())


NETS = {"recurrent": recurrent, "convolution": convolution, "dilated": dilated, "attention": attention}
STEPS = {"recurrent": "n", "convolution": "n / k", "dilated": "log2 n", "attention": "1"}


def gradient(net: Net, distance: int, generator: torch.Generator) -> float:
    """The norm of d output / d input at a distance: along one random direction of the output."""
    x = torch.randn(1, LENGTH, WIDTH, generator=generator).requires_grad_()
    along = torch.randn(WIDTH, generator=generator)
    (found,) = torch.autograd.grad((net(x)[0, -1] * along).sum(), x)
    return float(found[0, LENGTH - 1 - distance].norm())


def measured(seeds: int) -> dict[str, list[float]]:
    """For each net the gradients by distance, as a share of that at distance 1."""
    table = {}
    for name, make in NETS.items():
        totals = [0.0] * len(DISTANCES)
        for seed in range(seeds):
            torch.manual_seed(seed)
            net = make()
            for number, distance in enumerate(DISTANCES):
                totals[number] += gradient(net, distance, torch.Generator().manual_seed(seed))
        table[name] = [total / totals[0] for total in totals]
    return table


@click.command()
@click.option("--seeds", default=20, show_default=True)
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw it here, as an SVG.")
def main(seeds: int, chart: Path | None) -> None:
    """Measure how much of a word is left n positions on."""
    table = measured(seeds)
    click.echo("gradient at distance n, as a share of that at distance 1")
    click.echo(f"{'':12} {'path':>7}" + "".join(f"{distance:>10}" for distance in DISTANCES))
    for name, shares in table.items():
        click.echo(f"{name:12} {STEPS[name]:>7}" + "".join(f"{share:>10.2g}" for share in shares))
    if chart:
        series = {  # a gradient that is nothing at all has no place on a logarithmic axis
            name: [(distance, share or float("nan")) for distance, share in zip(DISTANCES, shares, strict=True)]
            for name, shares in table.items()
        }
        title = "How much of a word is left n positions on"
        drawn = lines(series, title=title, x="distance n", y="gradient / gradient at 1", log_x=True, log_y=True)
        chart.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
