"""Who is looking, and where: a tap is at work in the context that activated it and in no other."""

import threading
from contextvars import copy_context

import pytest
from attention.test_attend import random_heads

from regard.attention import Pattern, Tap
from regard.attention.taps import active, active_taps, only_active, unwatched


def test_a_plain_tap_changes_nothing():
    query, key, _ = random_heads()
    pattern = Pattern(query, key)
    assert Tap().edit(pattern) is pattern
    assert Tap().see(pattern) is None
    assert Tap().block_output(query[0]) is None


def test_taps_are_at_work_inside_their_block_and_in_the_order_of_the_layer():
    first, second, other = Tap(), Tap(), Tap()
    layer = (first, second)
    assert active_taps(layer) == ()
    with active(second, other), active(first):
        assert active_taps(layer) == (first, second)
    assert active_taps(layer) == ()


def test_inner_blocks_add_and_take_away_only_their_own():
    outer, inner = Tap(), Tap()
    with active(outer):
        with active(inner, outer):
            assert set(active_taps((outer, inner))) == {outer, inner}
        assert active_taps((outer, inner)) == (outer,)


def test_a_block_that_fails_ends_its_taps():
    tap = Tap()

    def fail():
        with active(tap):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert active_taps((tap,)) == ()


def test_another_thread_sees_none_of_them():
    tap, found = Tap(), []
    with active(tap):
        thread = threading.Thread(target=lambda: found.append(active_taps((tap,))))
        thread.start()
        thread.join()
        inherited = copy_context().run(active_taps, (tap,))
    assert found == [()]
    assert inherited == (tap,)


class Looks(Tap):
    def see(self, pattern):
        raise AssertionError


class LooksAtBlocks(Tap):
    def block_output(self, x):
        raise AssertionError


class EditsAndLooks(Looks):
    def edit(self, pattern):
        return pattern.with_temperature(2.0)


def test_where_nobody_watches_edits_are_still_at_work():
    plain, looks, _, edits = layer = (Tap(), Looks(), LooksAtBlocks(), EditsAndLooks())
    with active(*layer):
        with unwatched():
            assert active_taps(layer) == (plain, edits)
            with active(looks):
                assert active_taps(layer) == (plain, looks, edits)
        assert active_taps(layer) == layer


def test_only_some_are_at_work():
    first, second = Tap(), Tap()
    with active(first):
        with only_active(second):
            assert active_taps((first, second)) == (second,)
        with only_active():
            assert active_taps((first, second)) == ()
        assert active_taps((first, second)) == (first,)
