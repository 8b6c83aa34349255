"""Every sample once an epoch; a batch depends on the seed, the epoch and its number, and on nothing else.

Also tests: text/plans.py.
"""

import copyreg
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from shared import shared

from regard.errors import RegardError
from regard.text import DataError, TabbedCorpus, TokenTable, TrainingBatches, token_tables, train_tokenizer
from regard.text.training import too_long_samples


class Table(TokenTable):
    """A table in memory."""

    def __init__(self, rows):
        self.tokens = np.array([number for row in rows for number in row], dtype=np.uint16)
        self.offsets = np.cumsum([0, *(len(row) for row in rows)])

    def __reduce__(self):
        return copyreg.__newobj__, (Table,), vars(self)


def table(lengths, first=1):
    return Table([[first + number % 60_000] * length for number, length in enumerate(lengths)])


LENGTHS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), min_size=1, max_size=80)


def both(lengths):
    sources, targets = zip(*lengths, strict=True)
    return {"source": table(sources), "target": table(targets)}


@given(lengths=LENGTHS, tokens=st.integers(1, 200), seed=st.integers(0, 9), epoch=st.integers(0, 9))
def test_every_sample_once_an_epoch_and_within_its_room(lengths, tokens, seed, epoch):
    batches = TrainingBatches(both(lengths), tokens=tokens, seed=seed, pad=0)
    seen = []
    for number in range(len(batches)):
        batch = batches[epoch, number]
        seen += batch.samples.tolist()
        for name, column in batch.columns.items():
            assert column.tokens.dtype == torch.int64
            assert column.attention_mask.sum(1).tolist() == [
                lengths[sample][name == "target"] for sample in batch.samples
            ]
            for row, sample in enumerate(batch.samples.tolist()):
                assert set(column.tokens[row][column.attention_mask[row]].tolist()) <= {1 + sample}
            assert not column.tokens[~column.attention_mask].any()
        rows, longest = batch["target"].tokens.shape
        assert rows == 1 or rows * longest <= tokens
        assert rows == 1 or rows * batch["source"].tokens.shape[1] <= 2 * tokens
        assert batch.total == int(batch["target"].attention_mask.sum())
    assert sorted(seen) == list(range(len(lengths)))


@given(lengths=LENGTHS, rows=st.integers(1, 9))
def test_a_batch_can_have_so_many_rows_instead(lengths, rows):
    batches = TrainingBatches(both(lengths), rows=rows)
    sizes = [len(batches[0, number].samples) for number in range(len(batches))]
    assert sum(sizes) == len(lengths)
    assert sorted(sizes)[1:] == [rows] * (len(sizes) - 1)


def same(one, other):
    assert one.samples.tolist() == other.samples.tolist()
    assert one.total == other.total
    for name in one.columns:
        assert torch.equal(one[name].tokens, other[name].tokens)
        assert torch.equal(one[name].attention_mask, other[name].attention_mask)


MANY = [(1 + number * 7 % 23, 1 + number * 5 % 19) for number in range(500)]


def test_a_batch_does_not_depend_on_what_was_asked_before():
    one = TrainingBatches(both(MANY), tokens=100, seed=3)
    torch.manual_seed(1)
    np.random.seed(1)
    other = TrainingBatches(both(MANY), tokens=100, seed=3)
    for key in [(5, 7), (0, 0), (5, 8), (2, 1), (5, 7)]:
        same(one[key], other[key])
    same(pickle.loads(pickle.dumps(one))[5, 7], one[5, 7])


def test_epochs_and_seeds_differ_in_order_and_in_company():
    batches = TrainingBatches(both(MANY), tokens=100, seed=3)
    companies = [{tuple(sorted(batches[epoch, n].samples.tolist())) for n in range(len(batches))} for epoch in (0, 1)]
    assert len(companies[0] & companies[1]) < len(batches) / 2
    first = [batches[0, number].samples.tolist() for number in range(4)]
    assert first != [batches[1, number].samples.tolist() for number in range(4)]
    other = TrainingBatches(both(MANY), tokens=100, seed=4)
    assert first != [other[0, number].samples.tolist() for number in range(4)]


def test_a_batch_is_the_same_in_another_process():
    code = """
import numpy as np
from regard.text.plans import LengthBuckets
lengths = np.arange(500) * 5 % 19 + 1
plan = LengthBuckets(lengths, lengths * 3 % 17, tokens=100).plan(3, 5)
print([plan[number].tolist() for number in range(len(plan))])
"""
    ran = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)]
    assert ran[0] == ran[1] != ""


@given(lengths=LENGTHS, tokens=st.integers(1, 200), world=st.integers(1, 5))
def test_processes_share_out_the_batch_of_one(lengths, tokens, world):
    tables = both(lengths)
    whole = TrainingBatches(tables, tokens=tokens)
    parts = [TrainingBatches(tables, tokens=tokens, part=(rank, world)) for rank in range(world)]
    for number in range(len(whole)):
        together = whole[2, number]
        shared_out = [part[2, number] for part in parts]
        assert sorted(torch.cat([part.samples for part in shared_out]).tolist()) == sorted(together.samples.tolist())
        assert sum(int(part["target"].attention_mask.sum()) for part in shared_out) == together.total
        assert {part.total for part in shared_out} == {together.total}
        assert all(part["target"].tokens.shape[0] >= 1 for part in shared_out)
    assert {len(part) for part in parts} == {len(whole)}


def test_a_step_is_an_epoch_and_a_number_in_it():
    batches = TrainingBatches(both(MANY), tokens=100)
    assert batches.key(0) == (0, 0)
    assert batches.key(2 * len(batches) + 3) == (2, 3)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_loader_workers_change_nothing(tmp_path, workers, start):
    (tmp_path / "pairs.tsv").write_text("".join(f"{'a ' * one}\t{'b ' * other}\n" for one, other in MANY[:60]))
    tokenizer = train_tokenizer("words", 0, ["a b"])
    coders = {"source": tokenizer, "target": tokenizer}
    batches = TrainingBatches(token_tables(TabbedCorpus(tmp_path / "pairs.tsv"), coders, tmp_path / "cache"), tokens=60)
    keys = [batches.key(step) for step in range(3, 3 + len(batches))]
    way = None if workers == 0 else start
    loader = torch.utils.data.DataLoader(
        batches, sampler=keys, batch_size=None, num_workers=workers, multiprocessing_context=way
    )
    for key, batch in zip(keys, loader, strict=True):
        same(batch, batches[key])


def test_some_samples_can_be_left_out():
    tables = both(MANY)
    over = too_long_samples(tables, {"target": 15})
    assert over.tolist() == [sample for sample, (_, target) in enumerate(MANY) if target > 15]
    assert too_long_samples(tables, 22).tolist() == [sample for sample, pair in enumerate(MANY) if max(pair) > 22]
    kept = np.setdiff1d(np.arange(len(MANY)), over)
    batches = TrainingBatches(tables, tokens=100, samples=kept)
    seen = torch.cat([batches[0, number].samples for number in range(len(batches))])
    assert sorted(seen.tolist()) == kept.tolist()


def test_one_column_will_do():
    batches = TrainingBatches({"label": table([1] * 30), "text": table(range(1, 31))}, tokens=40, pad={"text": 9})
    assert batches.count == "text"
    assert all(batches[0, n]["label"].tokens.shape[1] == 1 for n in range(len(batches)))
    alone = TrainingBatches({"text": table(range(1, 31))}, tokens=40, pad=9)
    batch = alone[0, 0]
    assert set(batch["text"].tokens[~batch["text"].attention_mask].tolist()) <= {9}
    assert alone[0, 0].to("cpu").columns.keys() == {"text"}


def test_what_does_not_fit_is_refused():
    for numbers in ({}, {"tokens": 5, "rows": 5}):
        with pytest.raises(RegardError, match="so many tokens or so many rows"):
            TrainingBatches(both(MANY), **numbers)
    with pytest.raises(DataError, match="columns of one length expected: source has 1, target has 2"):
        TrainingBatches({"source": table([1]), "target": table([1, 1])}, tokens=5)
    with pytest.raises(DataError, match="no sample to make a batch of"):
        TrainingBatches(both(MANY), tokens=5, samples=np.array([], dtype=int))
    with pytest.raises(RegardError, match="a rank below the number of processes"):
        TrainingBatches(both(MANY), tokens=5, part=(2, 2))
    with pytest.raises(IndexError, match="batch 999 of"):
        TrainingBatches(both(MANY), tokens=50)[0, 999]


def test_real_pairs_need_little_padding(tmp_path):
    corpus = TabbedCorpus(shared("tatoeba-en-de/valid.tsv.xz"))
    tokenizer = train_tokenizer("words", 0, [text for pair in corpus for text in pair])
    batches = TrainingBatches(token_tables(corpus, {"source": tokenizer, "target": tokenizer}, tmp_path), tokens=512)
    padding = batches.padding()
    assert padding["target"] < 0.06
    assert padding["source"] < 0.15
