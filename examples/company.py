"""Words that keep the same company lie close together: skip-gram with negative samples, Mikolov et al. 2013.

Every word learns to tell the words around it from words drawn at random. Nobody says what a name is; names end up
beside names, because the same words stand around them. Without a file it reads sentences that it makes itself, in which
words of a kind may stand where others of that kind do; with one, the words that people wrote.

    python examples/company.py
    python examples/company.py ../shared/data/tatoeba-en-de/train.tsv.xz tom house two
"""

import random
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import click
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.text.lines import read_lines

NAMES = (
    "tom", "mary", "john", "alice", "bob", "jack", "jim", "ken", "susan", "jane", "mike", "nancy", "bill", "peter",
    "george", "emily", "helen",
)  # fmt: skip
KINDS = {
    "name": NAMES,
    "drink": ("tea", "coffee", "water", "milk", "juice", "wine", "beer", "lemonade"),
    "animal": ("dog", "cat", "horse", "bird", "cow", "mouse", "sheep", "goat"),
    "place": ("house", "garden", "station", "school", "market", "park", "river", "bridge"),
    "number": ("two", "three", "four", "five", "six", "seven", "eight", "nine"),
    "colour": ("red", "blue", "green", "white", "black", "brown", "yellow", "grey"),
    "day": ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
}
PATTERNS = (
    "name and name drink drink in the place", "name has number colour animals", "on day name went to the place",
    "the colour animal runs to the place", "name gave name number glasses of drink", "name saw a colour animal on day",
    "is the drink in the place cold", "the animal sleeps behind the place", "name bought a colour coat on day",
    "there are number animals at the place", "would you like some drink name", "name paints the place colour",
)  # fmt: skip
MADE = 6000  # sentences
REACH, RARE, NEGATIVE = 4, 5, 5
ALIKE = 0.9
"""Where all words point the same way as much as this, on average, nothing was learned."""
FREQUENT = 10  # a word that is so many times as frequent as the mean is left out now and then


@dataclass(frozen=True)
class Company:
    """A vector for each word, of length 1."""

    words: list[str]
    vectors: Tensor

    def nearest(self, word: str, most: int = 8) -> list[tuple[str, float]]:
        """The words whose vectors point the same way, and how much so (cosine)."""
        near = self.vectors @ self.vectors[self.words.index(word)]
        best = near.topk(most + 1)
        pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
        return [(self.words[number], value) for number, value in pairs if self.words[number] != word][:most]

    def sameness(self) -> float:
        """The mean cosine of two different words."""
        count = len(self.words)
        return float((self.vectors.sum(0).square().sum() - count) / (count * (count - 1)))

    def closeness(self, some: list[str]) -> tuple[float, float]:
        """The mean cosine among these words, and between them and all others."""
        chosen = [self.words.index(word) for word in some if word in self.words]
        near = self.vectors[chosen] @ self.vectors.T
        inside = near[:, chosen]
        count = len(chosen)
        among = (inside.sum() - inside.trace()) / (count * (count - 1))
        outside = (near.sum() - inside.sum()) / (count * (len(self.words) - count))
        return float(among), float(outside)


def sentences(file: Path) -> list[list[str]]:
    """Lower-cased words of the first column; each sentence once, however often it was translated."""
    texts = dict.fromkeys(line.split("\t")[0].lower() for line in read_lines(file))
    return [re.findall(r"[a-z']+", text) for text in texts]


def made_sentences(seed: int) -> list[list[str]]:
    """Sentences of PATTERNS, with any word of a kind where the kind stands; "animals" is one more word."""
    draw = random.Random(seed)

    def word(part: str) -> str:
        kind = KINDS.get(part.removesuffix("s"), ())
        return (draw.choice(kind) + part[len(part.removesuffix("s")) :]) if kind else part

    return [[word(part) for part in draw.choice(PATTERNS).split()] for _ in range(MADE)]


def numbered(texts: list[list[str]], counts: Counter[str], words: list[str]) -> tuple[Tensor, Tensor]:
    """All words in a row as numbers, and the sentence of each. Frequent words are left out more often than not."""
    number = {word: index for index, word in enumerate(words)}
    pairs = [(number[word], text) for text, line in enumerate(texts) for word in line if word in number]
    tokens, where = torch.tensor(pairs).unbind(1)
    share = torch.tensor([counts[word] for word in words]) / len(tokens)
    kept = torch.rand(len(tokens)) < (FREQUENT / len(words) / share).sqrt()[tokens]
    return tokens[kept], where[kept]


def neighbours(tokens: Tensor, where: Tensor) -> Tensor:
    """Pairs of words of one sentence, nearer ones more often: the reach of each is drawn."""
    reach, pairs = torch.randint(1, REACH + 1, tokens.shape), []
    for distance in range(1, REACH + 1):
        together = where[distance:] == where[:-distance]
        one, other = tokens[:-distance], tokens[distance:]
        ahead, behind = together & (reach[:-distance] >= distance), together & (reach[distance:] >= distance)
        pairs += [torch.stack([one[ahead], other[ahead]], 1), torch.stack([other[behind], one[behind]], 1)]
    return torch.cat(pairs)


def learn(
    texts: list[list[str]], *, width: int = 100, epochs: int = 15, rows: int = 4096, rate: float = 2e-3
) -> Company:
    counts = Counter(word for line in texts for word in line)
    words = [word for word, count in counts.most_common() if count >= RARE]
    words_in, words_out = nn.Embedding(len(words), width, sparse=True), nn.Embedding(len(words), width, sparse=True)
    nn.init.uniform_(words_in.weight, -0.5 / width, 0.5 / width)
    nn.init.zeros_(words_out.weight)
    optimiser = torch.optim.SparseAdam([words_in.weight, words_out.weight], lr=rate)
    noise = torch.tensor([counts[word] for word in words]).double() ** 0.75
    with click.progressbar(range(epochs), label="reading") as bar:
        for _ in bar:
            pairs = neighbours(*numbered(texts, counts, words))
            for some in pairs[torch.randperm(len(pairs))].split(rows):
                wrong = torch.multinomial(noise, len(some) * NEGATIVE, replacement=True).view(-1, NEGATIVE)
                both = words_out(torch.cat([some[:, 1:], wrong], 1))
                scores = torch.einsum("bw, bnw -> bn", words_in(some[:, 0]), both)
                is_right = F.one_hot(torch.zeros(len(some), dtype=torch.long), NEGATIVE + 1).to(scores.dtype)
                loss = F.binary_cross_entropy_with_logits(scores, is_right, reduction="sum") / len(some)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
    return Company(words, F.normalize(words_in.weight.detach(), dim=-1))


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=False)
@click.argument("asked", nargs=-1)
@click.option("--epochs", default=15, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(file: Path | None, asked: tuple[str, ...], epochs: int, seed: int) -> None:
    """Learn vectors of the words of FILE, and say which lie beside those that are ASKED for."""
    torch.manual_seed(seed)
    company = learn(sentences(file), epochs=epochs) if file else learn(made_sentences(seed), epochs=epochs, rows=512)
    if company.sameness() > ALIKE:
        raise click.ClickException(
            f"all words point the same way (mean cosine {company.sameness():.2f}): too little text, or too few epochs"
        )
    for word in asked or ("tom", "house", "two", "red", "drink" if file else "tea"):
        if word not in company.words:
            where = file.name if file else "the sentences made here"
            raise click.ClickException(f"{word!r} is not among the {len(company.words)} words of {where}")
        click.echo(f"{word:10} " + "  ".join(f"{other} {near:.2f}" for other, near in company.nearest(word)))
    names = [name for name in NAMES if name in company.words]
    among, outside = company.closeness(names)
    near = [word for name in names for word, _ in company.nearest(name, 3)]
    share = sum(word in NAMES for word in near) / len(near)
    click.echo(f"\n{len(names)} names: cosine {among:.2f} among each other, {outside:.2f} with all other words;")
    chance = len(names) / len(company.words)
    click.echo(f"{share:.0%} of their three nearest words are among these very names (by chance {chance:.1%})")


if __name__ == "__main__":
    main()
