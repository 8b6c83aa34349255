"""Options that were renamed: the old spelling stops with one line that names the new one."""

from collections.abc import Callable
from typing import TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., object])
"""What an option is put on."""


class RenamedOption(click.ClickException):
    """One line, and the exit code of wrong usage."""

    exit_code = 2


def renamed(old: str, new: str) -> Callable[[Command], Command]:
    """An option that is hidden, takes whatever it took before, and refuses it."""

    def refuse(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise RenamedOption(f"{old} is called {new} now")

    return click.option(old, hidden=True, expose_value=False, callback=refuse)
