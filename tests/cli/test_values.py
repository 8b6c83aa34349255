"""Every option has a range: what lies outside is wrong usage, before anything is loaded."""

import click
import pytest

from regard.cli.main import COMMANDS, Commands
from regard.cli.values import FILE, PART, PENALTY, POSITIVE, SHARE, NamedPath, count


def commands() -> dict[str, click.Command]:
    context = click.Context(click.Command("regard"))
    return {name: command for name in COMMANDS if (command := Commands().get_command(context, name)) is not None}


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", "x", ""])
@pytest.mark.parametrize("kind", [PENALTY, POSITIVE, SHARE, PART], ids=["penalty", "positive", "share", "part"])
def test_what_is_no_finite_number_is_refused(kind, value):
    with pytest.raises(click.BadParameter):
        kind.convert(value, None, None)


def test_ends_of_ranges():
    assert (SHARE.convert("0", None, None), PART.convert("1", None, None)) == (0.0, 1.0)
    for kind, value in [
        (SHARE, "1.1"),
        (PART, "0"),
        (POSITIVE, "0"),
        (count(5), "6"),
        (count(5), "0"),
        (count(), "1e3"),
    ]:
        with pytest.raises(click.BadParameter):
            kind.convert(value, None, None)


@pytest.mark.parametrize("value", ["", "a\0b", "a" * 5000])
def test_a_path_without_a_usable_name_is_refused(value):
    with pytest.raises(click.BadParameter):
        NamedPath(exists=True).convert(value, None, None)
    if not value:
        with pytest.raises(click.BadParameter):
            FILE.convert(value, None, None)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_number_and_path_of_a_command_has_bounds(name):
    """No option takes any number there is, or any float click would take."""
    for option in commands()[name].params:
        kind = option.type
        assert kind is not click.INT, f"{name} {option.opts}: a range expected"
        assert kind is not click.FLOAT, f"{name} {option.opts}: a range expected"
        if isinstance(kind, click.IntRange):
            assert kind.max is not None, f"{name} {option.opts}: no upper end"
        if isinstance(kind, click.FloatRange):
            assert type(kind) is not click.FloatRange, f"{name} {option.opts}: takes nan"
        if isinstance(kind, click.Path):
            assert isinstance(kind, NamedPath), f"{name} {option.opts}: takes ''"
