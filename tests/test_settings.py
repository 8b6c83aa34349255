"""Every value is of its type and in its range, or one line names file and key."""

import pytest

from regard.errors import CheckpointError
from regard.settings import Range, Settings

FEW = Range(1, 10)


@pytest.mark.parametrize("value", [0, 11, -5, 10**30, 1.0, 2.5, True, "3", None, [3], {"a": 3}])
def test_a_whole_number_is_one(value):
    settings = Settings({"layers": value}, "folder/config.json", CheckpointError)
    with pytest.raises(CheckpointError, match=r"folder/config.json: layers = .*: a whole number from 1 to 10 expected"):
        settings.integer("layers", 2, FEW)


@pytest.mark.parametrize("value", [0.99, 10.01, 1e300, 10**400, float("nan"), float("inf"), False, "3", None, [3]])
def test_a_number_is_one(value):
    settings = Settings({"rate": value}, "folder/config.json", CheckpointError)
    with pytest.raises(CheckpointError, match=r"config.json: rate = .*: a number from 1 to 10 expected"):
        settings.number("rate", 2.0, FEW)


@pytest.mark.parametrize(
    ("read", "values"),
    [
        (lambda settings: settings.flag("key", False), [0, 1, "no", "false", []]),
        (lambda settings: settings.text("key"), [0, True, ["a"], {}]),
        (lambda settings: settings.object("key"), [0, "", [], False]),
        (lambda settings: settings.list("key"), [0, "", {}, False]),
        (lambda settings: settings.one_of("key", "relu", ["relu", "gelu"]), ["tanh", ["relu"], None, 7, {}]),
        (lambda settings: settings.token("key"), [-2, 1 << 31, 2.0, True, [3]]),
        (lambda settings: settings.integer_or_none("key", 4, FEW), [0, 11, "4", False]),
        (lambda settings: settings.number_or_none("key", FEW), [0, 11, "4", False]),
    ],
    ids=["flag", "text", "object", "list", "one_of", "token", "integer_or_none", "number_or_none"],
)
def test_a_value_of_another_kind_is_named(read, values):
    for value in values:
        with pytest.raises(CheckpointError, match=r"^file: key = "):
            read(Settings({"key": value}, "file", CheckpointError))
    read(Settings({}, "file", CheckpointError))


def test_a_long_value_is_shown_short():
    for value in ("a" * 10_000, list(range(10_000)), 10**4000, {"a": ["b" * 1000] * 1000}):
        with pytest.raises(CheckpointError) as caught:
            Settings({"key": value}, "file", CheckpointError).flag("key", False)
        assert len(str(caught.value)) < 600


def test_what_is_left_out_has_its_default():
    settings = Settings({"none": None}, "file", CheckpointError)
    assert (settings.integer("a", 4, FEW), settings.number("a", 0.5, Range(0, 1)), settings.flag("a", True)) == (
        4,
        0.5,
        True,
    )
    assert (settings.integer_or_none("a", 4, FEW), settings.integer_or_none("none", 4, FEW)) == (4, None)
    assert (settings.text("a", "b"), settings.text("none", "b"), settings.list("none"), settings.object("a")) == (
        "b",
        "b",
        [],
        {},
    )


@pytest.mark.parametrize("role", ["pad", "bos", "cls", "sep", "mask", "unk", "forced_bos"])
def test_a_role_that_one_token_has_takes_no_list(role):
    key = f"{role}_token_id"
    with pytest.raises(CheckpointError, match=rf"config.json: {key} = \[1\]: the number of a token"):
        Settings({key: [1]}, "config.json", CheckpointError).tokens(key)
    assert Settings({key: 1}, "config.json", CheckpointError).tokens(key) == (1,)
    assert Settings({"eos_token_id": [1, 2]}, "config.json", CheckpointError).tokens("eos_token_id") == (1, 2)
