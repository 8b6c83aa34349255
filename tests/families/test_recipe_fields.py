import math
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from regard.errors import RecipeError
from regard.families.recipe_fields import Share, Steps, check_fields
from regard.settings import LARGEST, Range, shown


@pytest.mark.parametrize(
    ("allowed", "inside", "outside", "words"),
    [
        (Range(1, 10), [1, 10], [0, 11, -1, 10**400], "from 1 to 10"),
        (Range(0, 1, open_above=True), [0, 0.999], [1, -0.1, math.nan, math.inf], "from 0 to below 1"),
        (Range(0, LARGEST, open_below=True), [1e-9, 1e300], [0, math.inf, math.nan, 10**400], "above 0"),
        (Range(0, LARGEST), [0, 1e308], [-1e-9, math.nan, math.inf, 10**400], "from 0 on"),
    ],
)
def test_a_range_has_its_ends_or_not(allowed, inside, outside, words):
    assert all(number in allowed for number in inside)
    assert not any(number in allowed for number in outside)
    assert str(allowed) == words


@dataclass
class Section:
    steps: Steps = 1
    share: Share = 0.5
    way: Literal["one", "two"] = "one"
    pair: tuple[Share, Share] = (0.1, 0.2)
    names: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    flag: Annotated[bool, Range(0, 1)] = False


@pytest.mark.parametrize(
    "values",
    [
        {"steps": 3, "share": 0, "way": "two", "pair": (0, 0.9), "names": ("a", "b"), "flag": True},
        {"settings": {"base": 1e4, "layout": "halves", "scaling": {"factor": 2.0}, "both": True}},
    ],
)
def test_what_is_in_its_range_is_taken(values):
    check_fields(Section, values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": 0}, "steps = 0: a whole number from 1 to 1,000,000,000,000 expected"),
        ({"steps": True}, "steps = True: a whole number expected"),
        ({"steps": 16**9000}, "steps = a number of 36,001 bits: a whole number from 1"),
        ({"share": 1.0}, "share = 1.0: a number from 0 to below 1 expected"),
        ({"share": math.nan}, "share = nan: a number from 0"),
        ({"share": "0.5"}, "share = '0.5': a number expected"),
        ({"way": "three"}, "way = 'three': 'one' or 'two' expected"),
        ({"way": []}, r"way = \[\]: 'one' or 'two' expected"),
        ({"pair": (0.1,)}, r"pair = \[0.1\]: 2 numbers expected"),
        ({"pair": (0.1, 1.0)}, "pair = 1.0: a number from 0"),
        ({"names": "a"}, "names = 'a': a list expected"),
        ({"names": ("a\0b",)}, r"names = 'a\\x00b': a text of one line"),
        ({"names": ("a\nb",)}, r"names = 'a\\nb': a text of one line"),
        ({"names": ("\udcff",)}, r"names = '\\udcff': a text of one line"),
        ({"settings": {"base": math.inf}}, "base = inf: a number from"),
        ({"settings": {"base": 10**13}}, "base = 10000000000000: a number from"),
        ({"settings": {"base": [1]}}, r"base = \[1\]: a number, a text, or true or false expected"),
        ({"settings": {"scaling": {"factor": {}}}}, r"scaling.factor = {}: a number, a text"),
    ],
)
def test_what_is_not_is_one_line_that_begins_with_the_field(values, message):
    with pytest.raises(RecipeError, match=rf"^{message}") as caught:
        check_fields(Section, values)
    assert len(str(caught.value).splitlines()) == 1


def test_what_is_long_or_deep_is_shown_in_part():
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    assert len(shown(deep)) < 60
    assert len(shown("y" * 10_000)) <= 80
    assert shown("a\nb") == r"'a\nb'"
