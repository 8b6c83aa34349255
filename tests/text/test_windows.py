"""Windows over a text: each token is learnt once an epoch, and a batch depends on its number alone."""

import pickle

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import UnknownName
from regard.text import DataError, Windows
from regard.text.windows import ORDERS

SIZES = {
    "size": st.integers(2, 200),
    "context": st.integers(1, 30),
    "rows": st.integers(1, 7),
    "epoch": st.integers(0, 5),
}


def learnt(windows, epoch):
    """The numbers of the tokens that are learnt, which follow those that are read."""
    found = []
    for number in range(len(windows)):
        column = windows[epoch, number]["text"]
        read, next_one, attention_mask = column.tokens[:, :-1], column.tokens[:, 1:], column.attention_mask[:, 1:]
        assert torch.equal(next_one[attention_mask], read[attention_mask] + 1)
        assert windows[epoch, number].total == int(attention_mask.sum())
        found += next_one[attention_mask].tolist()
    return found


@pytest.mark.parametrize("order", ["shuffled", "straight", "carried"])
@given(**SIZES)
def test_every_token_but_the_first_is_learnt_once(order, size, context, rows, epoch):
    windows = Windows(np.arange(size), context=context, rows=rows, order=order, seed=1)
    assert sorted(learnt(windows, epoch)) == list(range(1, size))


@given(**SIZES)
def test_random_windows_lie_in_the_text_and_make_up_its_length(size, context, rows, epoch):
    windows = Windows(np.arange(size), context=context, rows=rows, order="random", seed=1)
    found = learnt(windows, epoch)
    assert set(found) <= set(range(1, size))
    assert len(windows) * context * rows >= size - 1
    assert all(windows[epoch, number]["text"].tokens.shape[0] == rows for number in range(len(windows)))
    if size > context:
        assert len(found) == len(windows) * context * rows


@given(**SIZES)
def test_a_carried_row_goes_on_where_it_ended(size, context, rows, epoch):
    windows = Windows(np.arange(size), context=context, rows=rows, order="carried")
    last = [None] * rows
    for number in range(len(windows)):
        column = windows[epoch, number]["text"]
        for row in range(rows):
            here = column.tokens[row][column.attention_mask[row]].tolist()
            assert not here or last[row] in (None, here[0])
            last[row] = here[-1] if here else None


@pytest.mark.parametrize("order", ORDERS)
def test_a_batch_depends_on_its_number_alone(order):
    text = np.arange(1000)
    one, other = (Windows(text, context=16, rows=4, order=order, seed=5) for _ in range(2))
    for key in [(3, 2), (0, 0), (3, 2)]:
        assert torch.equal(one[key]["text"].tokens, other[key]["text"].tokens)
    assert torch.equal(pickle.loads(pickle.dumps(one))[3, 2]["text"].tokens, one[3, 2]["text"].tokens)
    assert one.key(len(one) + 2) == (1, 2)
    if order in ("shuffled", "random"):
        assert not torch.equal(one[0, 2]["text"].tokens, one[1, 2]["text"].tokens)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("world", [2, 3, 8])
def test_processes_share_out_the_batch_of_one(order, world):
    text = np.arange(333)
    whole = Windows(text, context=16, rows=5, order=order)
    parts = [Windows(text, context=16, rows=5, order=order, part=(rank, world)) for rank in range(world)]
    for number in range(len(whole)):
        batches = [part[0, number] for part in parts]
        assert sum(int(batch["text"].attention_mask[:, 1:].sum()) for batch in batches) == whole[0, number].total
        assert all(batch["text"].tokens.shape[0] >= 1 and batch["text"].tokens.shape[1] >= 2 for batch in batches)
        assert sum(len(batch.samples) for batch in batches) == len(whole[0, number].samples)


def test_what_is_no_text_is_refused():
    with pytest.raises(DataError, match="a text of 1 tokens: at least two are needed"):
        Windows(np.arange(1), context=4, rows=1)
    with pytest.raises(UnknownName, match="unknown order of windows 'shufled': did you mean 'shuffled'"):
        Windows(np.arange(9), context=4, rows=1, order="shufled")
    with pytest.raises(IndexError, match="batch 3 of 2"):
        Windows(np.arange(9), context=4, rows=1)[0, 3]
