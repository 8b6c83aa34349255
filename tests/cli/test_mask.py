import json

import pytest
from click.testing import CliRunner

from regard.cli.mask import mask
from regard.errors import ShapeError


def run(*arguments):
    return CliRunner().invoke(mask, arguments)


def grid(*arguments):
    ran = run(*arguments, "--json")
    assert ran.exit_code == 0, ran.output
    return json.loads(ran.output)


def test_causal_lets_the_last_query_see_every_key():
    assert run("causal", "--queries", "2", "--keys", "4").output == "■ ■ ■ ·\n■ ■ ■ ■\n"


def test_a_window_reaches_before_and_after():
    assert run("window", "--before", "1", "--after", "0", "--keys", "3").output == "■ · ·\n■ ■ ·\n· ■ ■\n"
    assert grid("window", "--before", "0", "--after", "1", "--keys", "2") == [[[[True, True], [False, True]]]]


def test_padding_is_drawn_once_for_each_sequence():
    ran = run("padding", "--lengths", "1,2", "--side", "left", "--queries", "1")
    assert ran.output == "· ■\n\n■ ■\n"


def test_padding_stands_on_the_right_unless_told():
    assert grid("padding", "--lengths", "1", "--keys", "3", "--queries", "1") == [[[[True, False, False]]]]


def test_of_several_kinds_all_must_allow():
    causal = grid("causal", "--keys", "5")[0][0]
    padding = grid("padding", "--lengths", "3,5")
    both = grid("causal", "padding", "--lengths", "3,5")
    for example, (together,) in enumerate(both):
        for i, row in enumerate(together):
            assert row == [a and b for a, b in zip(causal[i], padding[example][0][0], strict=True)]


@pytest.mark.parametrize(
    ("arguments", "queries", "keys"),
    [
        (["causal"], 8, 8),
        (["causal", "--queries", "3"], 3, 3),
        (["causal", "--keys", "3"], 3, 3),
        (["causal", "--queries", "6", "--keys", "8"], 6, 8),
        (["padding", "--lengths", "3,5"], 5, 5),
        (["padding", "--lengths", "3,5", "--queries", "2"], 2, 5),
    ],
)
def test_sizes_follow_from_what_is_given(arguments, queries, keys):
    drawn = grid(*arguments)
    assert (len(drawn[0][0]), len(drawn[0][0][0])) == (queries, keys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument"),
        (["casual"], "'casual' is not one of 'causal', 'window', 'padding'"),
        (["causal", "--lengths", "3"], "--lengths belongs to padding"),
        (["causal", "--before", "2"], "--before belongs to window"),
        (["padding"], "padding needs --lengths"),
        (["padding", "--lengths", "3,x"], "expected whole numbers such as 3,5, got '3,x'"),
        (["padding", "--lengths", "-1"], "a length is never negative"),
        (["causal", "--queries", "0"], "0 is not in the range"),
    ],
)
def test_wrong_usage_is_told_and_exits_with_2(arguments, message):
    ran = run(*arguments)
    assert ran.exit_code == 2
    assert message in ran.output


def test_a_length_beyond_the_keys_is_an_error_of_ours():
    assert isinstance(run("padding", "--lengths", "9", "--keys", "3").exception, ShapeError)
