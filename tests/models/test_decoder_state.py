"""A state under a beam: members share their source, and no more memory is held than they need."""

import pytest
import torch
from decoding.test_together import END, START, translator
from torch.testing import assert_close

from regard.decoding import Constraints, decode
from regard.models import (
    AttentionConfig,
    DecoderState,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    StackConfig,
    Transformer,
    TransformerConfig,
)
from regard.models.decoder_state import source_groups

__all__ = ["translator"]  # a fixture
SOURCE = torch.randint(3, 23, (3, 5), generator=torch.Generator().manual_seed(0))
REAL = torch.tensor([[True] * 5, [True] * 2 + [False] * 3, [True] * 4 + [False]])


@torch.no_grad()
@pytest.mark.parametrize(
    "moves",
    [
        [[0, 0, 0, 2, 2, 2]],  # beams
        [[0, 0, 1, 1, 2, 2], [1, 0, 3, 3, 4, 5], [4, 4, 1, 0]],  # that move among themselves, and a source that leaves
        [[0, 0, 1, 1], [0, 0, 1, 1, 2, 2, 3, 3], [7, 0]],  # more of them, then one of each
        [[0, 0, 1], [0, 1, 2, 2, 2, 2]],  # not as many of each
        [[2], [0] * 4, [3, 2, 1, 0]],
    ],
)
def test_members_that_share_a_source_go_on_as_if_each_had_its_own(translator, moves):
    state, rows = translator.start(SOURCE, REAL), torch.arange(3)
    written = torch.full((3, 1), START)
    logits, state = translator.step(state, written)
    for move in moves:
        chosen = torch.tensor(move)
        rows, state = rows[chosen], state.select(chosen)
        more = torch.randint(3, 23, (len(move), 2))
        written = torch.cat([written[chosen], more], 1)
        logits, state = translator.step(state, more)
    expected = translator(SOURCE[rows], written, attention_mask=REAL[rows])[:, -1:]
    assert_close(logits, expected, rtol=0, atol=1e-4)


@pytest.mark.parametrize(
    ("rows", "shared", "count", "sources", "many"),
    [
        ([0, 0, 1, 1], 1, 2, None, 2),
        ([1, 0, 3, 2], 2, 2, None, 2),
        ([2, 3], 2, 2, [1], 2),
        ([0, 1, 2], 1, 3, None, 1),
        ([0, 0, 0, 1], 1, 2, [0, 0, 0, 1], 1),
        ([0, 0, 0, 0, 1, 1], 1, 2, [0, 0, 1], 2),
        ([], 2, 2, [], 1),
    ],
)
def test_sources_are_kept_once_for_members_in_a_row(rows, shared, count, sources, many):
    found, times = source_groups(torch.tensor(rows, dtype=torch.long), shared, count)
    assert (None if found is None else found.tolist(), times) == (sources, many)


def bytes_of(state: DecoderState) -> tuple[int, int]:
    """All that a state holds, and its largest tensor."""
    tensors = [
        part for cache in state.caches for half in (cache.self, cache.cross) for part in (half._key, half._value)
    ]
    tensors += [state.source, state.source_attention_mask, state.attention_mask]
    sizes = {part.untyped_storage().data_ptr(): part.untyped_storage().nbytes() for part in tensors if part is not None}
    return sum(sizes.values()), max(sizes.values())


@pytest.mark.parametrize(("beam", "longest"), [(1, 32), (4, 17), (4, 20), (4, 32), (8, 100), (2, 60)])
def test_caches_are_not_much_larger_than_what_is_in_them(beam, longest, monkeypatch):
    monkeypatch.setenv("REGARD_ENGINE", "off")
    layers, width, sources, length = 3, 32, 4, 20
    side = EmbeddedStackConfig(
        EmbeddingConfig(23), StackConfig(layers, width, AttentionConfig(4), FeedForwardConfig(8))
    )
    model = Transformer(TransformerConfig(side, side)).eval()
    held, step, select = [], model.step, DecoderState.select

    def stepped(*told):
        logits, state = step(*told)
        held.append(sum(bytes_of(state)))  # a tensor that grows, or moves, is there twice: one at a time
        return logits, state

    def selected(state, rows):
        state = select(state, rows)
        held.append(sum(bytes_of(state)))
        return state

    monkeypatch.setattr(model, "step", stepped)
    monkeypatch.setattr(DecoderState, "select", selected)
    source, rules = torch.randint(3, 23, (sources, length)), Constraints(banned=(END,))
    decode(model, source, prefix=torch.full((sources, 1), START), beam=beam, max_new_tokens=longest, constraints=rules)
    vectors = 2 * layers * width * 4  # bytes of the keys and values of a token
    assert len(held) >= longest
    assert max(held) <= 1.3 * vectors * sources * (length + beam * longest)
