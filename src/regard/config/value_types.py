"""Whether a plain value, as a file or a recipe has it, is of the type that a field or an argument says."""

from collections.abc import Mapping
from inspect import signature
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from regard.errors import ShapeError
from regard.settings import shown


def choices(hint: object) -> tuple[object, ...]:
    """The types that a hint allows."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def is_of(hint: object, value: object) -> bool:
    """Whether a value is of a type, and in its range if it has one; a whole number is a float, too."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(is_of(choice, value) for choice in get_args(hint))
    if origin is Annotated:
        kind, allowed, *_ = get_args(hint)
        return is_of(kind, value) and value in allowed
    if origin is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if origin in (list, tuple):
        kinds = get_args(hint)
        return isinstance(value, list | tuple) and all(not kinds or is_of(kinds[0], item) for item in value)
    if origin in (dict, Mapping):
        return isinstance(value, dict) and all(is_of(get_args(hint)[1], item) for item in value.values())
    if hint is float:
        return type(value) in (int, float)
    return hint in (Any, object) or (value is None if hint in (None, NoneType) else type(value) is hint)


def type_name(hint: object) -> str:
    """How a message names a type: "int from 1 to 1,024 or nothing"."""
    if len(choices(hint)) > 1:
        return " or ".join(map(type_name, choices(hint)))
    if get_origin(hint) is Annotated:
        kind, allowed, *_ = get_args(hint)
        return f"{type_name(kind)} {allowed}"
    return "nothing" if hint is NoneType else getattr(hint, "__name__", str(hint))


def check_settings(part: type, settings: Mapping[str, object], what: str, filled: int = 0) -> None:
    """Raise ShapeError unless these are the settings that a part takes, behind the first `filled` of its arguments."""
    arguments = [one for one in signature(part).parameters.values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    known = {one.name: one for one in arguments[filled:]}
    hints = get_type_hints(part.__init__, include_extras=True)
    if unknown := settings.keys() - known.keys():
        raise ShapeError(f"{what} has no setting {shown(min(unknown))}; known: {', '.join(known) or 'none'}")
    for name, parameter in known.items():
        if name not in settings and parameter.default is parameter.empty:
            raise ShapeError(f"{what} needs the setting {name}")
        if name in settings and not is_of(hints[name], settings[name]):
            raise ShapeError(f"{what}: {name} = {shown(settings[name])}: {type_name(hints[name])} expected")
