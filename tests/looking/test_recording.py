"""The calls of a layer are kept in little room, and come back as they were."""

import pytest
import torch

from regard.attention import Pattern
from regard.looking.recording import Recording


def copy(tensor):
    return tensor.detach().clone()


def vectors(length, batch=2, heads=2, width=4):
    return torch.randn(batch, heads, length, width)


def kept(recording):
    """Numbers that the keys of a recording take, each storage once."""
    sizes = {}
    for step in recording.steps:
        history = step.history
        while history is not None:
            for buffer in history.buffers:
                sizes[buffer.storage.untyped_storage().data_ptr()] = buffer.storage.numel()
            history = history.parent
    return sum(sizes.values())


def decoded(query, key, recording, prompt=3, window=None):
    steps = []
    for end in range(prompt, key.shape[2] + 1):
        rows = slice(0, prompt) if end == prompt else slice(end - 1, end)
        first = 0 if window is None else max(end - window, 0)
        pattern = Pattern(query[:, :, rows], key[:, :, first:end].clone(), first_key=first)
        recording.add(pattern, copy)
        steps.append(pattern)
    return steps


@pytest.mark.parametrize("window", [None, 4])
def test_steps_come_back_as_they_were(window):
    recording = Recording()
    steps = decoded(vectors(12), vectors(12), recording, window=window)
    assert len(recording) == len(steps)
    for mine, step in zip(recording, steps, strict=True):
        assert torch.equal(mine.key, step.key)
        assert torch.equal(mine.weights(), step.weights())


def test_each_key_is_kept_once():
    recording, key = Recording(), vectors(300)
    decoded(vectors(300), key, recording, prompt=100)
    assert kept(recording) <= 1.5 * key.numel()


def test_beams_that_change_places_are_followed():
    recording, query, key = Recording(), vectors(60, batch=3), vectors(3, batch=3)
    steps = []
    for end in range(4, 60):
        key = torch.cat([key[torch.randint(3, (3,))], vectors(1, batch=3)], 2)
        steps.append(Pattern(query[:, :, end - 1 : end], key))
        recording.add(steps[-1], copy)
    for mine, step in zip(recording, steps, strict=True):
        assert torch.equal(mine.key, step.key)
    assert kept(recording) <= 1.5 * key.numel()


def test_another_text_begins_anew():
    recording = Recording()
    first, second = Pattern(vectors(4), vectors(4)), Pattern(vectors(5), vectors(5))
    recording.add(first, copy)
    recording.add(second, copy)
    assert torch.equal(recording[0].key, first.key)
    assert torch.equal(recording[1].key, second.key)


def test_two_texts_that_go_on_from_one_do_not_write_over_each_other():
    recording, key = Recording(), vectors(4)
    one, other = (torch.cat([key, vectors(2)], 2) for _ in range(2))
    recording.add(Pattern(vectors(4), key), copy)
    recording.add(Pattern(vectors(2), one), copy)
    recording.steps.append(recording.steps[0])  # the cache was cropped back to the first four
    recording.add(Pattern(vectors(2), other), copy)
    assert torch.equal(recording[1].key, one)
    assert torch.equal(recording[3].key, other)


def test_what_is_kept_does_not_follow_the_cache():
    recording, key = Recording(), vectors(4)
    recording.add(Pattern(vectors(4), key), copy)
    before = recording[0].key.clone()
    key.zero_()
    assert torch.equal(recording[0].key, before)


def test_values_are_kept_with_their_keys():
    recording, key, value = Recording(), vectors(6), vectors(6, width=3)
    for end in (4, 5, 6):
        recording.add(Pattern(vectors(1), key[:, :, :end], value=value[:, :, :end]), copy)
    assert [torch.equal(step.values, value[:, :, : 4 + number]) for number, step in enumerate(recording)] == [True] * 3


def test_what_a_pattern_has_worked_out_is_there_the_next_time():
    recording = Recording()
    recording.add(Pattern(vectors(4), vectors(4)), copy)
    assert recording[0] is recording[-1]
