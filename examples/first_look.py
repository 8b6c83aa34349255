"""A first look inside a decoder, at a length where nobody keeps the weights: `make look`.

The model's weights are random: it has learned nothing, and only finds words that are alike. But what you see of it
is exactly what it computed, without the memory for all of it. Every figure that is printed is measured in this run.
"""

import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch
from rich.console import Console
from rich.text import Text
from torch import Tensor, nn

import regard
from regard.attention import Causal
from regard.layers import FeedForward, MultiHead, Stack, TransformerBlock
from regard.pictures.terminal import heat
from regard.positions import Sinusoidal, positions_of

LENGTH, WIDTH, HEADS, LAYERS = 8192, 256, 8, 4
PLACE, HEAD, CELLS = "decoder.0.self", 2, 21
MIB = 2**20

Result = TypeVar("Result")
console = Console(highlight=False)


class Reader(nn.Module):
    """A small decoder with random weights. Queries and keys share theirs, so that like looks for like."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        nn.init.normal_(self.words.weight, std=4.0)  # a word counts for more than its position
        self.position = Sinusoidal(WIDTH)
        self.decoder = Stack([self.block() for _ in range(LAYERS)], nn.LayerNorm(WIDTH))

    @staticmethod
    def block() -> TransformerBlock:
        attention = MultiHead(WIDTH, HEADS, bias=False)
        with torch.no_grad():
            attention.qkv.weight[: 2 * WIDTH] = 2.5 * attention.qkv.weight[:WIDTH].repeat(2, 1)
        return TransformerBlock(attention, FeedForward(WIDTH, 4 * WIDTH, "gelu"), lambda: nn.LayerNorm(WIDTH))

    def forward(self, tokens: Tensor) -> Tensor:
        """The stream after the last block: (batch, length, width)."""
        x = self.position.embed(self.words(tokens), positions_of(None, tokens.shape[1]))
        return self.decoder(x, mask=Causal())


def measured(work: Callable[[], Result]) -> tuple[Result, str]:
    """What some work gives; the time it took, and by how much it raised the most memory held so far."""
    before, start = peak(), time.perf_counter()
    result = work()
    return result, f"{time.perf_counter() - start:8.3f} s    peak memory {peak() - before:+5.0f} MiB"


def peak() -> float:
    """The most memory that this process has held so far, in MiB."""
    kept = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kept / (MIB if sys.platform == "darwin" else 1024)


def say(text: str) -> None:
    console.print(f"\n{text}", style="bold", markup=False, soft_wrap=True)


def main() -> None:
    torch.manual_seed(0)
    licence = re.findall(r"\w+|[^\w\s]", (Path(__file__).parents[1] / "LICENSE").read_text(encoding="utf-8"))
    words = (licence * (LENGTH // len(licence) + 1))[:LENGTH]
    numbers = {word: number for number, word in enumerate(sorted(set(words)))}
    tokens = torch.tensor([[numbers[word] for word in words]])
    model = Reader(len(numbers)).eval().requires_grad_(False)

    say(f"A decoder of {LAYERS} layers and {HEADS} heads reads {LENGTH:,} words: its licence, again and again")
    dense = HEADS * LENGTH**2 * 4 / MIB
    print(f"the weights of one layer would take {dense:,.0f} MiB, those of all {LAYERS * dense:,.0f} MiB")
    start = model(tokens[:, :64])  # the first call of anything is slow
    plain, cost = measured(lambda: model(tokens))
    print(f"  nobody looks       {cost}")
    with regard.watch(model, PLACE) as seen:
        watched, cost = measured(lambda: model(tokens))
    print(f"  one layer watched  {cost}")
    pattern = seen[PLACE]
    kept = sum(part.numel() * 4 for part in (pattern.query, pattern.key, pattern.logsumexp)) / MIB
    print(f"  kept: queries, keys and one number per query, {kept:.1f} MiB")
    print(f"  same output, to the bit: {torch.equal(plain, watched)}")

    middle = LENGTH // 2
    rows, columns = slice(middle, middle + 64), slice(middle - 100, middle)
    say(f"An exact tile: seen['{PLACE}'][0, {HEAD}, {rows.start}:{rows.stop}, {columns.start}:{columns.stop}]")
    tile, cost = measured(lambda: pattern[0, HEAD, rows, columns])
    print(f"  64 x 100 weights   {cost}")
    scores = pattern.query[0, HEAD, rows].double() @ pattern.key[0, HEAD].double().T / (WIDTH // HEADS) ** 0.5
    scores.masked_fill_(torch.arange(LENGTH) > torch.arange(rows.start, rows.stop)[:, None], -torch.inf)
    error = (tile - torch.softmax(scores, -1)[:, columns]).abs().max()
    print(f"  largest difference from a softmax in float64: {error:.0e}")

    query = LENGTH - 1 - words[::-1].index("Derivative")
    say(f"The five words that '{words[query]}', word {query:,}, looks at most")
    best = pattern[0, HEAD, query].topk(5)
    for weight, position in zip(best.values.tolist(), best.indices.tolist(), strict=True):
        print(f"  {weight:.4f}  word {position:5,}  … {' '.join(words[max(position - 3, 0) : position + 1])}")

    side = LENGTH // CELLS
    say(f"Head {HEAD} from afar: each cell the mean of {side} x {side} weights, over the largest of its row")
    alone = pattern.narrow(slice(0, 1), slice(HEAD, HEAD + 1))
    overview, cost = measured(lambda: alone.pool(CELLS, CELLS)[0, 0])
    print(f"  {LENGTH:,} x {LENGTH:,}      {cost}\n")
    picture = heat(overview / overview.amax(-1, keepdim=True), colour=console.is_terminal)
    console.print(Text.from_ansi(picture), soft_wrap=True)
    print(f"\nThe stripes are {len(licence):,} words apart: a word finds itself in every reading of the licence.")

    say(f"Head {HEAD} of {PLACE} switched off")
    with regard.edit(model) as edit:
        edit.head(PLACE, HEAD).off()
        off = model(tokens)
    change = (off - plain).norm(dim=-1) / plain.norm(dim=-1)
    print(
        f"  the stream after {LAYERS} layers moved by {100 * change.mean():.1f} %, at most {100 * change.max():.1f} %"
    )
    most = change[0].argmax().item()
    print(f"  most at word {most:,}: … {' '.join(words[max(most - 3, 0) : most + 1])}")
    print(f"  and after the block the model is as before: {torch.equal(model(tokens[:, :64]), start)}")


if __name__ == "__main__":
    main()
