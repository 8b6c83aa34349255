"""Values are of the type that is said, or one line says which."""

from typing import Annotated, Literal

import pytest

from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS
from regard.config.part_sizes import PartSizes
from regard.config.value_types import check_settings, is_of, type_name
from regard.errors import ShapeError
from regard.positions import POSITIONS
from regard.settings import Range

FEW = Annotated[int, Range(1, 3)]


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (int, [0, -3], [True, 1.0, "1", None]),
        (float, [0, 1.5], [True, "1", None]),
        (FEW, [1, 3], [0, 4, True, 2.0, None]),
        (FEW | None, [1, None], [0, "a"]),
        (Literal["a", "b"], ["a"], ["c", ["a"], 1]),
        (list[int], [[], [1, 2]], [1, ["a"], {}]),
        (dict[str, list[int]], [{}, {"a": [1]}], [{"a": 1}, [], None]),
    ],
    ids=str,
)
def test_a_value_is_of_its_type(hint, good, bad):
    assert all(is_of(hint, value) for value in good)
    assert not any(is_of(hint, value) for value in bad)


def test_a_type_has_a_name():
    assert type_name(FEW | None) == "int from 1 to 3 or nothing"


@pytest.mark.parametrize("value", [-1, -(10**12), 10**12, "12", True, [3], 1e30])
def test_no_part_takes_a_size_that_makes_no_sense(value):
    for table, filled in ((POSITIONS, 0), (SCORES, 2), (ATTENTION_METHODS, 0)):
        for name, part in table.items():
            sizes = {} if filled else PartSizes(8, 2, 4, 24).arguments(part)
            settings = {**sizes, **part.example_settings}
            check_settings(part, settings, name, filled)
            for key in (key for key, setting in settings.items() if type(setting) is int):
                with pytest.raises(ShapeError, match=rf"{name}: {key} = "):
                    check_settings(part, settings | {key: value}, name, filled)


def test_settings_that_are_missing_or_too_many_are_named():
    with pytest.raises(ShapeError, match="learned needs the setting width"):
        check_settings(POSITIONS["learned"], {"length": 4}, "learned")
    with pytest.raises(ShapeError, match="none has no setting 'a'; known: none"):
        check_settings(POSITIONS["none"], {"a": 4}, "none")
