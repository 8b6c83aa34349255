"""A picture is read, a sentence is written: captions of shapes, and where each word looks.

A picture has two shapes, a large one and a small one, of any colour, on a noisy ground: "a red circle above a small
blue square". A vision Transformer reads its pieces, a decoder writes the words and looks at the pieces by
cross-attention. Some pairs of colour and shape are in no picture that it learns from, and all captions that it is tried
on are new. While it writes the colour and the kind of a shape, is the piece that it looks at most the one with that
shape?

    python examples/captions.py --chart captions.svg
"""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.config import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)
from regard.looking import watch
from regard.models import VisionConfig, VisionTransformer
from regard.models.embedded_stack import EmbeddedStack
from regard.models.parts import build_output

SIZE, PATCH, WIDTH, HEADS = 24, 8, 64, 4
LARGE, SMALL, GROUND, NOISE = 8, 5, 0.1, 0.05
COLOURS = {"red": (1, 0.15, 0.15), "green": (0.15, 0.8, 0.2), "blue": (0.25, 0.35, 1), "yellow": (0.95, 0.85, 0.1)}
SHAPES = ("circle", "square", "triangle")
PLACES = {"above": "above", "below": "below", "left": "left of", "right": "right of"}
WORDS = ["</s>", "a", "small", *COLOURS, *SHAPES, "above", "below", "left", "right", "of"]
END, LENGTH = 0, 10
NEVER = {("green", "triangle"), ("blue", "circle")}
"""Pairs that nothing is learned from."""


class Shape(NamedTuple):
    colour: str
    kind: str
    top: int
    left: int
    side: int


class Scene(NamedTuple):
    """Two shapes, and where the large one is as seen from the small one."""

    large: Shape
    small: Shape
    place: str

    @property
    def caption(self) -> list[str]:
        large, small = self.large, self.small
        return f"a {large.colour} {large.kind} {PLACES[self.place]} a small {small.colour} {small.kind}".split()

    @property
    def is_held_out(self) -> bool:
        """A fifth of all captions is for the end."""
        pairs = [list(COLOURS).index(s.colour) * len(SHAPES) + SHAPES.index(s.kind) for s in (self.large, self.small)]
        return (pairs[0] + 2 * pairs[1] + list(PLACES).index(self.place)) % 5 == 0

    @property
    def is_never_met(self) -> bool:
        return any((shape.colour, shape.kind) in NEVER for shape in (self.large, self.small))


def draw_scene(random: Random) -> Scene:
    """Any two shapes in fields of one column or of one row."""
    place, fields = random.choice(list(PLACES)), SIZE // PATCH
    first, second = sorted(random.sample(range(fields), 2))
    along = (first, second) if place in ("above", "left") else (second, first)
    across = random.randrange(fields)
    shapes = []
    for side, at in zip((LARGE, SMALL), along, strict=True):
        row, column = (at, across) if place in ("above", "below") else (across, at)
        top, left = (PATCH * field + random.randint(0, PATCH - side) for field in (row, column))
        shapes.append(Shape(random.choice(list(COLOURS)), random.choice(SHAPES), top, left, side))
    return Scene(*shapes, place)


def draw(count: int, random: Random, part: str = "train") -> list[Scene]:
    """Scenes of a part: to learn from, held out, or with a pair of colour and shape that was never met."""
    scenes: list[Scene] = []
    while len(scenes) < count:
        scene = draw_scene(random)
        if part == ("never met" if scene.is_never_met else "held out" if scene.is_held_out else "train"):
            scenes.append(scene)
    return scenes


@cache
def stencil(kind: str, side: int) -> Tensor:
    """Which pixels of a square a shape covers."""
    down, right = torch.meshgrid(*2 * [(torch.arange(side) + 0.5) / side], indexing="ij")
    if kind == "circle":
        return (down - 0.5).square() + (right - 0.5).square() <= 0.25
    return down < 2 if kind == "square" else (right - 0.5).abs() <= down / 2


def picture(scene: Scene) -> Tensor:
    """Red, green and blue of every pixel: (3, size, size)."""
    pixels = torch.full((3, SIZE, SIZE), GROUND)
    for shape in (scene.large, scene.small):
        below, beside = (slice(start, start + shape.side) for start in (shape.top, shape.left))
        colour = torch.tensor(COLOURS[shape.colour])[:, None, None]
        pixels[:, below, beside] = torch.where(stencil(shape.kind, shape.side), colour, GROUND)
    return pixels


def piece_of(shape: Shape) -> int:
    """The piece of a picture, row by row, that a shape is on."""
    return shape.top // PATCH * (SIZE // PATCH) + shape.left // PATCH


class Captioner(nn.Module):
    """A vision Transformer reads, a decoder writes and looks at what was read."""

    def __init__(self) -> None:
        super().__init__()
        reads = VisionConfig(SIZE, PATCH, 1, WIDTH, 1, HEADS, 2 * WIDTH, pool="mean", channels=3)
        stack = StackConfig(1, WIDTH, AttentionConfig(HEADS), FeedForwardConfig(2 * WIDTH, "gelu"))
        position = PositionConfig("learned", {"length": LENGTH, "width": WIDTH})
        self.encoder = VisionTransformer(reads)
        assert self.encoder.positions is not None
        nn.init.normal_(self.encoder.positions, std=0.2)  # as loud as the pieces, or places are learned late
        self.decoder = EmbeddedStack(
            EmbeddedStackConfig(EmbeddingConfig(len(WORDS)), stack, position), is_causal=True, source_width=WIDTH
        )
        self.output = build_output(OutputConfig(tied=False), self.decoder.embedding, WIDTH, stack.norm)

    def forward(self, images: Tensor, words: Tensor) -> Tensor:
        """The scores of the word that follows each word: teacher forcing."""
        return self.output(self.decoder(words, source=self.encoder.hidden(images)))


def batch(scenes: list[Scene], generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Pictures, the words that go in, and the words that should come out; -100 behind the end."""
    answers = torch.full((len(scenes), LENGTH), -100)
    for row, scene in enumerate(scenes):
        numbers = [*map(WORDS.index, scene.caption), END]
        answers[row, : len(numbers)] = torch.tensor(numbers)
    words = F.pad(answers[:, :-1].clamp(min=END), (1, 0), value=END)
    images = torch.stack([picture(scene) for scene in scenes])
    return images + NOISE * torch.randn(images.shape, generator=generator), words, answers


def train(seed: int, steps: int, rows: int = 64) -> Captioner:
    torch.manual_seed(seed)
    model, random, generator = Captioner().train(), Random(seed), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), 3e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, steps + 1, pct_start=0.2)
    for _ in range(steps):
        images, words, answers = batch(draw(rows, random), generator)
        optimiser.zero_grad()
        F.cross_entropy(model(images, words).flatten(0, 1), answers.flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    return model.eval()


@torch.no_grad()
def write(model: Captioner, images: Tensor) -> list[list[str]]:
    """The likeliest word after each word, until all have ended."""
    words = torch.full((len(images), 1), END)
    while words.shape[1] <= LENGTH - 1:
        words = torch.cat([words, model(images, words)[:, -1:].argmax(-1)], 1)
    captions = []
    for row in words[:, 1:].tolist():
        captions.append([WORDS[number] for number in row[: row.index(END) if END in row else None]])
    return captions


@torch.no_grad()
def looks(model: Captioner, images: Tensor, words: Tensor) -> Tensor:
    """Where the decoder looks while it writes each word, the mean of its heads: (batch, words, pieces)."""
    with watch(model) as seen:
        model(images, words)
    return seen["decoder.0.cross"].weights().mean(1)


def peaks(scenes: list[Scene], weights: Tensor) -> dict[str, float]:
    """Of the steps that write the colour and the kind of a shape, the share that looks most at the piece with that
    shape, and the share that looks most at the other one."""
    own = other = 0
    for scene, looked in zip(scenes, weights, strict=True):
        length, pieces = len(scene.caption), [piece_of(scene.large), piece_of(scene.small)]
        for step, named in ((1, 0), (2, 0), (length - 2, 1), (length - 1, 1)):
            peak = int(looked[step].argmax())
            own, other = own + (peak == pieces[named]), other + (peak == pieces[1 - named])
    return {"own": own / len(scenes) / 4, "other": other / len(scenes) / 4}


def judge(model: Captioner, part: str, seed: int, count: int = 300) -> dict[str, float]:
    """Words and captions that are right, captions that are right of another picture, and where it looked."""
    generator = torch.Generator().manual_seed(1000 + seed)
    scenes = draw(count, Random(1000 + seed), part)
    images, words, _ = batch(scenes, generator)
    captions = write(model, images)
    blind = write(model, images.roll(1, 0))
    told = [scene.caption for scene in scenes]
    pairs = [zip(found, wanted, strict=False) for found, wanted in zip(captions, told, strict=True)]
    right = [word == wanted for pair in pairs for word, wanted in pair]
    return {
        "words": sum(right) / sum(len(caption) for caption in told),
        "captions": sum(map(list.__eq__, captions, told)) / count,
        "of another picture": sum(map(list.__eq__, blind, told)) / count,
        **peaks(scenes, looks(model, images, words)),
    }


def drawn_shape(shape: Shape) -> str:
    red, green, blue = (round(255 * min(1, part)) for part in COLOURS[shape.colour])
    fill, side, left, top = f'fill="rgb({red},{green},{blue})"', shape.side, shape.left, shape.top
    if shape.kind == "circle":
        return f'<circle cx="{left + side / 2}" cy="{top + side / 2}" r="{side / 2}" {fill}/>'
    if shape.kind == "square":
        return f'<rect x="{left}" y="{top}" width="{side}" height="{side}" {fill}/>'
    return f'<path d="M{left + side / 2} {top}L{left + side} {top + side}H{left}Z" {fill}/>'


def chart_of(scenes: list[Scene], captions: list[list[str]], weights: Tensor) -> str:
    """A row for each picture: the picture, and for each word the same, as dark as it was not looked at."""
    large, gap = 84, 8
    width, height = (LENGTH + 1) * (large + gap) + gap, len(scenes) * (large + 30) + gap
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">']
    parts.append("<title>Which pieces of a picture each word looks at</title>")
    parts.append('<rect width="100%" height="100%" fill="white"/>')
    for row, (scene, caption, looked) in enumerate(zip(scenes, captions, weights, strict=True)):
        for column, word in enumerate(["", *caption]):
            x, y = gap + column * (large + gap), gap + row * (large + 30)
            parts.append(f'<svg x="{x}" y="{y}" width="{large}" height="{large}" viewBox="0 0 {SIZE} {SIZE}">')
            parts.append(f'<rect width="{SIZE}" height="{SIZE}" fill="#1a1a1a"/>')
            parts += [drawn_shape(scene.large), drawn_shape(scene.small)]
            shares = (looked[column - 1] / looked[column - 1].max()).tolist() if column else []
            across = SIZE // PATCH
            for piece, share in enumerate(shares):
                at = f'x="{piece % across * PATCH}" y="{piece // across * PATCH}" width="{PATCH}" height="{PATCH}"'
                parts.append(f'<rect {at} fill="white" fill-opacity="{0.9 * (1 - share):.2f}"/>')
            parts.append(f'</svg><text x="{x + large / 2}" y="{y + large + 16}" text-anchor="middle">{word}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


@click.command()
@click.option("--seeds", default=1, show_default=True)
@click.option("--steps", default=500, show_default=True, help="Batches of 64 pictures.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--chart", type=click.Path(path_type=Path, dir_okay=False), help="Draw where words look, as an SVG.")
def main(seeds: int, steps: int, as_json: bool, chart: Path | None) -> None:
    """Write captions of pictures."""
    models = [train(seed, steps) for seed in range(seeds)]
    table = {}
    for part in ("held out", "never met"):
        rows = [judge(model, part, seed) for seed, model in enumerate(models)]
        table[part] = {name: sum(row[name] for row in rows) / seeds for name in rows[0]}
    if as_json:
        click.echo(json.dumps({"parameters": sum(p.numel() for p in models[0].parameters()), **table}, indent=1))
    else:
        click.echo(f"{'%':44}" + "".join(f"{part:>12}" for part in table))
        for name, label in (
            ("words", "words right"),
            ("captions", "captions right"),
            ("of another picture", "captions right, of another picture"),
            ("own", "looks most at the shape that it names"),
            ("other", "looks most at the other shape"),
        ):
            click.echo(f"{label:44}" + "".join(f"{100 * row[name]:>12.1f}" for row in table.values()))
    if chart:
        random = Random(1)
        scenes = [*draw(2, random, "held out"), *draw(1, random, "never met")]
        images, words, _ = batch(scenes, torch.Generator().manual_seed(1))
        drawn = chart_of(scenes, [scene.caption for scene in scenes], looks(models[0], images, words))
        chart.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
