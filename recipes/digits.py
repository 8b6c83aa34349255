"""Handwritten digits, looked at in three ways: python recipes/digits.py --help.

Data: the 1,797 pictures of 8 x 8 pixels that scikit-learn carries (E. Alpaydin and C. Kaynak, UCI, CC BY 4.0). Nothing
is downloaded. Of these 360 are the test set and 144 of the others the valid set, drawn once, label by label.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.models import GlimpseConfig, GlimpseNetwork, VisionConfig, VisionTransformer
from regard.training.optimisation.reinforce import reinforce

SIZE, LABELS = 8, 10


class Split(NamedTuple):
    images: Tensor
    labels: Tensor


class Way(NamedTuple):
    """A model, and how it learns."""

    build: Callable[[], nn.Module]
    epochs: int
    rate: float
    rows: int = 64


WAYS = {
    "pixels": Way(
        lambda: VisionTransformer(VisionConfig(SIZE, 1, LABELS, 64, 3, 4, 128, pool="mean", dropout=0.1)), 120, 2e-3
    ),
    "patches": Way(lambda: VisionTransformer(VisionConfig(SIZE, 2, LABELS, 64, 3, 4, 128, dropout=0.1)), 160, 2e-3),
    "glimpse": Way(lambda: GlimpseNetwork(GlimpseConfig(SIZE, LABELS, 128)), 200, 2e-3),
}


def digits() -> dict[str, Split]:
    """Brightness from 0 to 1, in three parts."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    found = load_digits()
    images, labels = torch.tensor(found.images / 16, dtype=torch.float32), torch.tensor(found.target)
    rest, test = train_test_split(range(len(labels)), test_size=360, stratify=labels, random_state=0)
    train, valid = train_test_split(rest, test_size=144, stratify=labels[rest], random_state=0)
    return {name: Split(images[some], labels[some]) for name, some in zip(PARTS, (train, valid, test), strict=True)}


PARTS = ("train", "valid", "test")


def moved(images: Tensor, generator: torch.Generator) -> Tensor:
    """Each picture a little turned, sheared, stretched and aside: what a digit is does not change."""
    bent = torch.eye(2, 3) + torch.randn(len(images), 2, 3, generator=generator) * torch.tensor([0.1, 0.1, 0.15])
    grid = F.affine_grid(bent, [len(images), 1, SIZE, SIZE], align_corners=False)
    return F.grid_sample(images[:, None], grid, align_corners=False)[:, 0]


def learn(way: Way, train: Split, seed: int, say: Callable[[str], None]) -> nn.Module:
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = way.build().train()
    steps = way.epochs * -(-len(train.labels) // way.rows)
    optimiser = torch.optim.AdamW(model.parameters(), lr=way.rate, weight_decay=0.05, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, way.rate, steps)
    for epoch in range(way.epochs):
        total = 0.0
        for rows in torch.randperm(len(train.labels), generator=generator).split(way.rows):
            images, labels = moved(train.images[rows], generator), train.labels[rows]
            if isinstance(model, GlimpseNetwork):
                loss = reinforce(model.glances(images, generator), labels)
            else:
                loss = F.cross_entropy(model(images), labels)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item() * len(rows)
        if (epoch + 1) % 10 == 0:
            say(f"epoch {epoch + 1}/{way.epochs}  loss {total / len(train.labels):.3f}")
    return model.eval()


@torch.no_grad()
def accuracy(model: nn.Module, part: Split) -> float:
    return (model(part.images).argmax(-1) == part.labels).double().mean().item()


def pictures(model: Any, image: Tensor) -> Any:
    """The picture, and over it where the model looked: each head of the last layer, or each glimpse's chances."""
    from regard.looking import watch
    from regard.pictures.picture import Album, Picture

    with torch.no_grad(), watch(model) as seen:
        model(image[None])
    shown = [Picture(image, title="the picture")]
    if isinstance(model, GlimpseNetwork):
        with torch.no_grad():
            places = model.glances(image[None]).positions[0].tolist()
        for number, (pattern, place) in enumerate(zip(seen.all("look"), places, strict=True)):
            where = f"glimpse {number + 1}: row {place // SIZE}, column {place % SIZE}"
            shown.append(Picture(pattern.weights()[0, 0, 0].view(SIZE, SIZE), title="where it may look", part=where))
        return Album(shown)
    last = f"encoder.{model.config.layers - 1}.self"
    side = model.config.size // model.config.patch
    for head, weights in enumerate(seen[last].weights()[0]):
        looks = weights[0, 1:] if model.token is not None else weights.mean(0)
        shown.append(Picture(looks.view(side, side), title=last, part=f"head {head}"))
    return Album(shown)


@click.command()
@click.argument("name", metavar="WAY", type=click.Choice(list(WAYS)))
@click.option("--seed", default=1, show_default=True)
@click.option("--epochs", type=int, help="As many as the way has unless given.")
@click.option("--test", is_flag=True, help="Look at the test set, too; choose by the valid set.")
@click.option("--picture", type=click.Path(path_type=Path, dir_okay=False), help=".svg, .png, .html: where it looks.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Save the model here.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON.")
def main(
    name: str, seed: int, epochs: int | None, test: bool, picture: Path | None, out: Path | None, as_json: bool
) -> None:
    """Learn to read digits: pixels as a set, patches as words, or a few glimpses."""
    data = digits()
    way = WAYS[name] if epochs is None else WAYS[name]._replace(epochs=epochs)
    model = learn(way, data["train"], seed, (lambda line: None) if as_json else click.echo)
    found = {part: accuracy(model, data[part]) for part in PARTS if test or part != "test"}
    if as_json:
        click.echo(json.dumps({"way": name, "seed": seed, "accuracy": found}))
    else:
        click.echo(", ".join(f"{part} {right:.2%}" for part, right in found.items()))
    if picture:
        pictures(model, data["valid"].images[0]).save(picture)
    if out:
        from regard.checkpoints import save_model

        save_model(model, out, {"model_type": "regard"}, type(model).__name__)


if __name__ == "__main__":
    main()
