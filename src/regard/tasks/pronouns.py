"""What a pronoun looks at: the weights of "it" on the words of a sentence, in every head that sees all of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.errors import RegardError
from regard.looking import watch
from regard.looking.layer_names import LayerNames
from regard.models import Encoder, Transformer
from regard.tasks.alignment import words_at
from regard.tasks.task import Task
from regard.text import Encoded

PRONOUN = "it"
SIGNS = ".,;:!?"


@dataclass(frozen=True, eq=False)
class PronounWeights:
    """The row of the pronoun in every head: `heads` are (layer, head), `weights` (heads, tokens).

    `tokens` has the positions of each word's tokens, a word as `bare_word` has it.
    """

    heads: Sequence[tuple[str, int]]
    weights: Tensor
    tokens: Mapping[str, Sequence[int]]

    def on(self, word: str) -> Tensor:
        """The weight of the pronoun on a word, all tokens of it together: (heads,)."""
        return self.weights[:, list(self.tokens[word])].sum(-1)


@torch.no_grad()
def pronoun_weights(task: Task, text: str) -> PronounWeights:
    """What "it" looked at in the encoder of a model; no heads where it has none.

    A word that comes twice is the first of them; where "it" is several tokens, the last of them looks. Causal layers
    are left out: there "it" does not see what follows.
    """
    encoded = task.tokenizer.encode(text)
    tokens = tokens_of_words(text, encoded)
    if not tokens.get(PRONOUN):
        raise RegardError(f"a text with {PRONOUN!r} expected, got {text!r}")
    model = task.model
    layers = [name for name in LayerNames(model).layers if name.startswith("encoder")]
    if not layers or not isinstance(model, Encoder | Transformer):
        return PronounWeights([], torch.zeros(0, len(encoded)), tokens)
    with watch(model, *layers) as seen:
        ids = torch.tensor([encoded.ids], device=task.device)
        if isinstance(model, Transformer):
            model.encode(ids)
        else:
            model.hidden(ids)
    it = tokens[PRONOUN][-1]
    heads = [(name, head) for name in layers for head in range(seen[name].shape[1])]
    return PronounWeights(heads, torch.cat([seen[name][0, :, it] for name in layers]).cpu(), tokens)


def tokens_of_words(text: str, encoded: Encoded) -> dict[str, list[int]]:
    """The positions of the tokens that end in each word."""
    ends = [end if of == 0 else None for (_, end), of in zip(encoded.offsets, encoded.texts, strict=True)]
    words = [bare_word(word) for word in text.split()]
    numbers = words_at(text, ends)
    return {
        word: [position for position, number in enumerate(numbers) if number == words.index(word)] for word in words
    }


def bare_word(word: str) -> str:
    """A word in small letters, without signs at its ends."""
    return word.strip(SIGNS).lower()
