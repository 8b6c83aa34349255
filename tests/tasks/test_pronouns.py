"""What a pronoun looks at, beside the whole weights of a model."""

import pytest
import torch

import regard
from regard.errors import RegardError
from regard.tasks.pronouns import bare_word, pronoun_weights

TEXT = "The animal didn't cross the road because it was too tired."


@pytest.fixture(scope="module")
def task():
    return regard.load("en-de")


def test_rows_are_those_of_the_pronoun_in_every_head(task):
    seen = pronoun_weights(task, TEXT)
    encoded = task.tokenizer.encode(TEXT)
    begin = TEXT.index(" it ") + 1
    it = max(position for position, (_, end) in enumerate(encoded.offsets) if begin < end <= begin + 2)
    with torch.no_grad(), regard.watch(task.model) as whole:
        task.model.encode(torch.tensor([encoded.ids]))
    stack = task.model.config.encoder.stack
    assert len(seen.heads) == len({*seen.heads}) == stack.layers * stack.attention.heads
    for (layer, head), row in zip(seen.heads, seen.weights, strict=True):
        torch.testing.assert_close(row, whole[layer][0, head, it])
    torch.testing.assert_close(seen.weights.sum(-1), torch.ones(len(seen.heads)))


def test_words_have_all_their_tokens_and_none_is_of_two(task):
    seen = pronoun_weights(task, TEXT)
    assert [*seen.tokens] == [*dict.fromkeys(bare_word(word) for word in TEXT.split())]
    positions = [position for tokens in seen.tokens.values() for position in tokens]
    assert len(positions) == len({*positions})
    together = torch.stack([seen.on(word) for word in seen.tokens]).sum(0)
    assert ((together > 0) & (together < 1 + 1e-5)).all()
    assert bare_word("Tired.") == "tired"


def test_a_model_that_reads_on_has_no_head_that_sees_the_whole():
    assert pronoun_weights(regard.load("shakespeare"), TEXT).heads == []


def test_a_text_without_the_pronoun_is_refused(task):
    with pytest.raises(RegardError, match="a text with 'it' expected, got 'The road"):
        pronoun_weights(task, "The road was wide.")
