"""Laws of memory networks: Sukhbaatar et al. 2015.

Also tests: layers/memory_hop.py.
"""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.testing import assert_close

import regard
from regard.attention.normalisers import Unnormalised
from regard.errors import UnknownName
from regard.models import MemoryNetwork, MemoryNetworkConfig
from regard.models.memory import TYINGS

TINY = MemoryNetworkConfig(vocabulary=11, width=6, hops=3, memories=8, max_words=4)
NETS = [
    TINY,
    replace(TINY, fills=True),
    replace(TINY, memories=5, fills=True),  # no room is left
    replace(TINY, tying="layerwise", projects=True),
    replace(TINY, hops=1, max_words=0, empty=False),
    replace(TINY, hops=5, memories=0, projects=True),
]


def stories(batch: int = 3, memories: int = 5, words: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randint(1, 11, (batch, memories, words)), torch.randint(1, 11, (batch, 3))


@torch.no_grad()
def plain(model: MemoryNetwork, story: torch.Tensor, question: torch.Tensor, ages: torch.Tensor) -> torch.Tensor:
    """The paper's equations for one story, written down word by word: 2.1, 2.2 and 4.1."""
    config, tying = model.config, model.tying
    width = config.width

    def sentence(words: torch.Tensor, table: int) -> torch.Tensor:
        total = torch.zeros(width, dtype=torch.float64)
        for j, word in enumerate(words.tolist(), 1):
            for k in range(1, width + 1):
                bend = 1.0
                if config.max_words:
                    along = (k - (width + 1) / 2) * (j - (config.max_words + 1) / 2)
                    bend = 1 + 4 * along / (width * config.max_words)
                total[k - 1] += bend * model.embedding[word, table, 0, k - 1]
        return total

    def remembered(table: int) -> torch.Tensor:
        rows = [sentence(words, table) for words in story]
        if model.when is not None:
            rows = [row + model.when[age, table, 0] for row, age in zip(rows, ages.tolist(), strict=True)]
        room = config.memories - len(rows) if config.fills else int(config.empty)
        return torch.stack(rows + [torch.zeros(width, dtype=torch.float64)] * room)

    u = sentence(question, tying.question)
    for key, value in zip(tying.keys, tying.values, strict=True):
        p = (remembered(key) @ u).softmax(0)
        o = p @ remembered(value)
        u = o + (u if model.project is None else u @ model.project[:, 0])
    return model.embedding[:, tying.answer, 0] @ u


@pytest.mark.parametrize("config", NETS)
def test_the_model_computes_the_equations_of_the_paper(config):
    model = MemoryNetwork(config).double()
    story, question = stories()
    ages = torch.arange(4, -1, -1)
    found = model(story, question)[:, 0]
    expected = torch.stack([plain(model, *pair, ages) for pair in zip(story, question, strict=True)])
    assert_close(found, expected)


def test_hand_made_weights_give_a_closed_form():
    """Two memories, scores ln 3 and 0: weights 3/4 and 1/4, an answer that can be worked out on paper."""
    model = MemoryNetwork(MemoryNetworkConfig(vocabulary=4, width=1, hops=1, memories=0, max_words=0, empty=False))
    with torch.no_grad():
        model.embedding[:, 0, 0, 0] = torch.tensor([0.0, 3.0, 1.0, 2.0]).log()  # keys, and the question
        model.embedding[:, 1, 0, 0] = torch.tensor([0.0, 8.0, 4.0, 1.0])  # values, and the answers
        model.embedding[0, 0] = 0
        model.embedding[3, 0] = 1.0
    scores = model(torch.tensor([[[1], [2]]]), torch.tensor([[3]]))[0, 0]
    state = 1 + (3 * 8 + 1 * 4) / 4
    assert_close(scores, state * torch.tensor([0.0, 8.0, 4.0, 1.0]))


def test_a_hop_that_finds_nothing_gathers_nothing():
    """Scores far below 0, the score of the empty memory: its value, zeros, is all that is found."""
    model = MemoryNetwork(replace(TINY, hops=1, memories=0, tying="layerwise"))
    story, question = stories()
    with torch.no_grad():
        model.embedding[:, model.tying.keys[0]] *= 0
        model.embedding[:, model.tying.keys[0], :, 0] -= 1000
        model.embedding[:, model.tying.question] *= 0
        model.embedding[:, model.tying.question, :, 0] += 1000
    with regard.watch(model) as seen:
        found = model(story, question)
    assert_close(seen["hop.0"].weights()[:, 0, 0], torch.tensor([0.0] * 5 + [1.0]).expand(3, -1))
    assert_close(found, model(torch.zeros_like(story), question))


@pytest.mark.parametrize("config", NETS)
def test_what_a_hop_finds_lies_in_the_hull_of_its_values(config):
    model = MemoryNetwork(config)
    with regard.watch(model, values=True) as seen:
        model(*stories())
    assert list(seen) == [f"hop.{number}" for number in range(config.hops)]
    for pattern in seen.values():
        weights = pattern.weights()
        assert (weights >= 0).all()
        assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]))
        found = weights @ pattern.values
        assert (found <= pattern.values.amax(2, keepdim=True) + 1e-6).all()
        assert (found >= pattern.values.amin(2, keepdim=True) - 1e-6).all()


def test_without_time_the_order_of_memories_changes_no_answer():
    story, question = stories()
    shuffled = story[:, torch.randperm(5)]
    timeless, timed = MemoryNetwork(replace(TINY, memories=0)), MemoryNetwork(TINY)
    assert_close(timeless(shuffled, question), timeless(story, question))
    assert (timed(shuffled, question) - timed(story, question)).abs().max() > 1e-4


def test_without_an_order_of_words_a_sentence_is_a_bag():
    story, question = stories()
    mixed = story[:, :, [2, 0, 3, 1]]
    bag, ordered = MemoryNetwork(replace(TINY, max_words=0)), MemoryNetwork(TINY)
    assert_close(bag(mixed, question), bag(story, question))
    assert (ordered(mixed, question) - ordered(story, question)).abs().max() > 1e-4


@given(memories=st.integers(0, 3), words=st.integers(0, 3), others=st.integers(0, 3))
def test_batch_and_padding_change_no_answer(memories, words, others):
    model = MemoryNetwork(TINY).double()
    story, question = stories(batch=1)
    alone = model(story, question)
    padded = torch.zeros(1 + others, 5 + memories, 4 + words, dtype=torch.long)
    padded[:1, :5, :4] = story
    padded[1:] = torch.randint(0, 11, padded[1:].shape)
    asked = torch.randint(1, 11, (1 + others, 3 + words))
    asked[0] = 0
    asked[0, :3] = question
    assert_close(model(padded, asked)[:1], alone)


def test_copies_answer_as_each_would_alone():
    model = MemoryNetwork(replace(TINY, copies=3, projects=True))
    story, question = stories()
    together = model(story, question)
    for copy in range(3):
        alone = MemoryNetwork(replace(TINY, projects=True))
        alone.load_state_dict({name: weight[..., copy : copy + 1, :] for name, weight in model.state_dict().items()})
        assert_close(together[:, copy], alone(story, question)[:, 0])


def test_a_linear_start_is_linear_in_the_keys():
    """Without softmax one hop is u + sum of (u . m) c: twice the keys, twice what is found."""
    model = MemoryNetwork(replace(TINY, hops=1, tying="layerwise", memories=0))
    story, question = stories()
    silent = model(torch.zeros_like(story), question)
    once = model(story, question, normaliser=Unnormalised()) - silent
    with torch.no_grad():
        model.embedding[:, model.tying.keys[0]] *= 2
    assert_close(model(story, question, normaliser=Unnormalised()) - silent, 2 * once)


def test_a_hop_can_be_edited():
    model = MemoryNetwork(TINY)
    story, question = stories()
    with regard.edit(model) as edit:
        edit.hide(source=[1])
        hidden = model(story, question)
    without = torch.cat([story[:, :1], story[:, 2:]], 1)
    assert_close(hidden, model(without, question, ages=torch.tensor([[4, 2, 1, 0]]).expand(3, -1)))
    with regard.edit(model) as edit:
        for hop in range(3):
            edit.head(f"hop.{hop}", 0).off()
        assert_close(model(story, question), model(torch.zeros_like(story), question))


@pytest.mark.parametrize("hops", [1, 2, 4])
def test_tying_is_that_of_the_paper(hops):
    """2.2: A of a hop is C of the one before, B is the first A, W is the last C; or one A and one C for all hops."""
    adjacent, layerwise = TYINGS["adjacent"](hops), TYINGS["layerwise"](hops)
    assert adjacent.keys[1:] == adjacent.values[:-1]
    assert (adjacent.question, adjacent.answer) == (adjacent.keys[0], adjacent.values[-1])
    assert adjacent.tables == hops + 1
    assert len({*layerwise.keys}) == len({*layerwise.values}) == 1
    assert layerwise.tables == 4
    with pytest.raises(UnknownName, match="unknown tying 'free'"):
        MemoryNetwork(replace(TINY, tying="free"))
