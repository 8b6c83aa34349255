"""What can go wrong, in one line each: the command line prints the message and nothing else."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

Entry = TypeVar("Entry")


class RegardError(Exception):
    """Something the caller can put right; its message says what was expected and what came."""


class ShapeError(RegardError, ValueError):
    """A tensor, a grid or a number of positions does not fit what it is used with."""


class ArgumentError(RegardError, ValueError):
    """A value that a call does not take; the message names the argument."""


class TooLarge(RegardError, MemoryError):
    """An answer would take more memory than anyone asks for on purpose."""


class UnknownName(RegardError, KeyError):
    """A name that its table does not hold."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, which would put the message in quotes.
        return Exception.__str__(self)


class CheckpointError(RegardError):
    """A checkpoint that cannot be read; the message names the file or the tensor."""


class RecipeError(RegardError, ValueError):
    """A recipe that cannot be followed; the message names the file and the key."""


class TorchMissing(RegardError, ImportError):
    """Something that takes PyTorch, where there is none."""

    @classmethod
    def of(cls, problem: ModuleNotFoundError, detail: str = "") -> ImportError:
        """What to raise instead of a module that was not found: the same, if it is another one."""
        if problem.name != "torch":
            return problem
        return cls(f"PyTorch is not installed{f', and {detail}' if detail else ''}: pip install torch")


class EditError(RegardError, ValueError):
    """An edit that cannot be applied, wherever it comes from; the message names its field."""


def lookup(table: Mapping[str, Entry], name: str, what: str) -> Entry:
    """The entry of a table, or an error that lists the names it does hold.

    `what` says what the table is made of, as in "unknown score 'dott'".
    """
    if name in table:
        return table[name]
    from difflib import get_close_matches  # where a name is wrong, there is time to load it

    near = get_close_matches(str(name), table, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownName(f"unknown {what} {repr(name)[:120]}: {hint}known: {', '.join(sorted(table))}")


def expect(name: str, what: str, size: int, *allowed: int) -> None:
    """Raise ShapeError unless a size is one of those allowed: "Padding has 3 positions, expected 5"."""
    if size not in allowed:
        wanted = " or ".join(str(size) for size in dict.fromkeys(allowed))
        raise ShapeError(f"{name} has {size} {what}, expected {wanted}")


def list_names(names: Iterable[str], limit: int = 8) -> str:
    """Names in order, the first few of many."""
    names = sorted(names)
    listed = ", ".join(map(short_name, names[:limit]))
    return listed + (f", … ({len(names)} in all)" if len(names) > limit else "")


def short_name(name: str) -> str:
    """A name that somebody else chose, short and in one line."""
    return name if name.isprintable() and len(name) <= 120 else f"{name[:80]!r}…"
