"""Which words belong together, by a model that was made for it: both of its directions have to look at each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from regard.checkpoints import Checkpoint
from regard.errors import RegardError
from regard.looking.align import Links
from regard.models import MaskedAligner
from regard.tasks.alignment import words_at
from regard.tasks.inputs import SourceSentence
from regard.tasks.processors.processor import ModelDescription, Processor, TextTooLong
from regard.tasks.task import as_array
from regard.text import Tokenizer

THRESHOLD = 0.2  # from which on two tokens belong together: Chen et al. 2021
TOGETHER = 4096  # tokens of both texts that go through the model at once

TextPair = tuple[str, str]


@dataclass(frozen=True)
class EncodedPair:
    """Two texts as the model reads them, without the tokens that end them."""

    source: SourceSentence
    target: SourceSentence

    @property
    def words(self) -> tuple[tuple[int | None, ...], tuple[int | None, ...]]:
        """The words to which the tokens of the source and of the target belong."""
        return words_at(self.source.sentence, self.source.ends()), words_at(self.target.sentence, self.target.ends())

    def __len__(self) -> int:
        return len(self.source.tokens) + len(self.target.tokens)


class MaskedWordAligner:
    """A masked aligner and its tokeniser: `aligner(pairs)` gives the links of each pair, as WordAligner does."""

    def __init__(self, checkpoint: Checkpoint, tokenizer: Tokenizer, threshold: float = THRESHOLD) -> None:
        if not isinstance(checkpoint.model, MaskedAligner):
            raise RegardError(f"{checkpoint.folder}: {checkpoint.architecture} is no masked aligner")
        self.model: MaskedAligner = checkpoint.model
        self.folder: Path = checkpoint.folder
        self.threshold = threshold
        description = ModelDescription(checkpoint.folder, checkpoint.config, checkpoint.model.config)
        self.processor: Processor = Processor(description, tokenizer)

    def __call__(self, pairs: Sequence[TextPair]) -> list[Links]:
        encoded = [self.read(*pair, number) for number, pair in enumerate(pairs, 1)]
        return [word_links(*pair, self.threshold) for pair in zip(encoded, self.agreement(encoded), strict=True)]

    def read(self, source: str, target: str, number: int) -> EncodedPair:
        return EncodedPair(self.read_side(source, "source", number), self.read_side(target, "target", number))

    def read_side(self, text: str, side: str, number: int) -> SourceSentence:
        tokens = self.processor.encode_whole(text)
        if len(tokens) > self.processor.read_limit:
            limit = self.processor.read_limit
            raise TextTooLong(f"pair {number}: its {side} has {len(tokens)} tokens, the model reads at most {limit}")
        if tokens.ids and tokens.ids[-1] == self.processor.tokenizer.specials.eos:
            tokens = tokens.take(range(len(tokens) - 1))
        return SourceSentence(text, "", tokens)

    def agreement(self, pairs: Sequence[EncodedPair]) -> list[Float[np.ndarray, "target source"]]:
        """How far both directions say that two tokens belong together, of each pair; of like length go together."""
        order = sorted(range(len(pairs)), key=lambda number: (-len(pairs[number]), number))
        results: dict[int, np.ndarray] = {}
        while order:
            count = max(1, TOGETHER // max(1, len(pairs[order[0]])))
            rows, order = order[:count], order[count:]
            results.update(zip(rows, self.agreement_batch([pairs[row] for row in rows]), strict=True))
        return [results[number] for number in range(len(pairs))]

    @torch.no_grad()
    def agreement_batch(self, pairs: Sequence[EncodedPair]) -> list[np.ndarray]:
        sizes = [(len(pair.target.tokens), len(pair.source.tokens)) for pair in pairs]
        if any(0 in size for size in sizes):
            return [self.agreement_of(pair) for pair in pairs]
        source, attention_mask = self.padded([pair.source.tokens.ids for pair in pairs])
        target, target_attention_mask = self.padded([pair.target.tokens.ids for pair in pairs])
        masks = {"attention_mask": attention_mask, "target_attention_mask": target_attention_mask}
        weights = self.model.agreement(source, target, **masks)
        return [as_array(one[:rows, :columns]) for one, (rows, columns) in zip(weights, sizes, strict=True)]

    def agreement_of(self, pair: EncodedPair) -> np.ndarray:
        """Of one pair; a text without a word has no partner for anything."""
        sizes = len(pair.target.tokens), len(pair.source.tokens)
        return np.zeros(sizes, dtype=np.float32) if 0 in sizes else self.agreement_batch([pair])[0]

    def padded(self, rows: Sequence[Iterable[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        device = next(self.model.parameters()).device
        tensors = [torch.tensor(list(row), dtype=torch.long) for row in rows]
        tokens = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=self.processor.padding or 0)
        lengths = torch.tensor([len(row) for row in tensors])
        return tokens.to(device), (torch.arange(tokens.shape[1]) < lengths[:, None]).to(device)


def word_links(pair: EncodedPair, weights: np.ndarray, threshold: float) -> Links:
    """Words of which any two tokens belong together, as (source, target)."""
    source, target = pair.words
    linked = zip(*(axis.tolist() for axis in (weights > threshold).nonzero()), strict=True)
    links = ((source[column], target[row]) for row, column in linked)
    return frozenset((one, other) for one, other in links if one is not None and other is not None)
