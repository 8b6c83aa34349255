import torch
from hypothesis import given
from hypothesis import strategies as some

from regard.text import Encoded, batches


def text(length):
    ids = tuple(range(3, 3 + length))
    return Encoded(ids, ("x",) * length, ((0, 1),) * length, (0,) * length, (1,) * length, (0,) * length)


@given(some.lists(some.integers(0, 40), max_size=30), some.integers(1, 100), some.sampled_from(["left", "right"]))
def test_every_text_comes_once_and_whole(lengths, room, side):
    seen = {}
    for batch in batches([text(length) for length in lengths], pad=1, side=side, batch_tokens=room):
        assert batch.tokens.numel() <= room or len(batch.rows) == 1
        for row, tokens, attention_mask, segments in zip(
            batch.rows, batch.tokens, batch.attention_mask, batch.segments, strict=True
        ):
            seen[row] = tokens[attention_mask].tolist()
            assert (tokens[~attention_mask] == 1).all()
            assert segments[attention_mask].all()
            if attention_mask.any():
                assert attention_mask[0 if side == "right" else -1]
    assert seen == {row: list(text(length).ids) for row, length in enumerate(lengths)}


def test_texts_of_like_length_stand_together():
    (first, second) = batches([text(length) for length in (2, 9, 3, 9)], batch_tokens=18)
    assert sorted(first.rows) == [1, 3]
    assert sorted(second.rows) == [0, 2]
    assert first.attention_mask.all()
    assert torch.equal(second.attention_mask.sum(1), torch.tensor([3, 2]))
