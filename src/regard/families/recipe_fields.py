"""What a recipe may say: the type of a field tells which numbers and words it may have."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Annotated, Literal, get_args, get_origin, get_type_hints
from unicodedata import category

from regard.errors import RecipeError
from regard.settings import LARGEST, Range, shown

KIND_NAMES: dict[object, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text in quotes",
}


SETTING = Range(-(10**12), 10**12)

Number = Annotated[float, Range(-LARGEST, LARGEST)]
Amount = Annotated[float, Range(0, LARGEST)]
PositiveAmount = Annotated[float, Range(0, LARGEST, open_below=True)]
Share = Annotated[float, Range(0, 1, open_above=True)]
WholeShare = Annotated[float, Range(0, 1)]
Seed = Annotated[int, Range(-(1 << 63), (1 << 63) - 1)]
Steps = Annotated[int, Range(1, 10**12)]
OptionalSteps = Annotated[int, Range(0, 10**12)]
Count = Annotated[int, Range(1, 10**6)]
OptionalCount = Annotated[int, Range(0, 10**6)]
Length = Annotated[int, Range(1, 10**8)]
OptionalLength = Annotated[int, Range(0, 10**8)]
Width = Annotated[int, Range(1, 1 << 20)]
OptionalWidth = Annotated[int, Range(0, 1 << 20)]


def check_fields(kind: type, values: Mapping[str, object]) -> None:
    """Raise RecipeError, which begins with the field's name, for a value that its field of a dataclass may not have."""
    hints = hints_of(kind)
    for name, value in values.items():
        check_value(hints[name], value, name)


@cache
def hints_of(kind: type) -> dict[str, object]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in fields(kind)}


def check_value(hint: object, value: object, name: str) -> None:
    kind, allowed = get_args(hint) if get_origin(hint) is Annotated else (hint, None)
    if get_origin(kind) is tuple:
        check_items(get_args(kind), value, name)
    elif get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise RecipeError(f"{name} = {shown(value)}: {' or '.join(map(repr, get_args(kind)))} expected")
    elif kind in KIND_NAMES:
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise RecipeError(f"{name} = {shown(value)}: {KIND_NAMES[kind]} expected")
        if isinstance(value, str) and not is_text(value):
            raise RecipeError(f"{name} = {shown(value)}: a text of one line, without control characters, expected")
        if allowed is not None and value not in allowed:
            raise RecipeError(f"{name} = {shown(value)}: {KIND_NAMES[kind]} {allowed} expected")
    elif kind is dict or get_origin(kind) is dict:
        assert isinstance(value, dict)
        for key, setting in value.items():
            check_setting(key, setting)
    elif is_dataclass(kind):
        try:
            check_fields(type(value), vars(value))
        except RecipeError as problem:
            raise RecipeError(f"{name}.{problem}") from None


def check_setting(name: str, setting: object, *, is_nested: bool = False) -> None:
    """A setting of a part, whose constructor knows more: a number, a text, true or false, or a table of such."""
    if isinstance(setting, dict) and not is_nested:
        for inner_name, inner in setting.items():
            check_setting(f"{name}.{inner_name}", inner, is_nested=True)
    elif isinstance(setting, int | float) and not isinstance(setting, bool):
        if setting not in SETTING:
            raise RecipeError(f"{name} = {shown(setting)}: a number {SETTING} expected")
    elif not (isinstance(setting, bool) or (isinstance(setting, str) and is_text(setting))):
        raise RecipeError(f"{name} = {shown(setting)}: a number, a text, or true or false expected")


def check_items(kinds: tuple[object, ...], value: object, name: str) -> None:
    """The items of a tuple: any number of one kind, or one of each."""
    is_open = kinds[-1] is ...
    if not isinstance(value, tuple) or not (is_open or len(value) == len(kinds)):
        raise RecipeError(f"{name} = {shown(value)}: {'a list' if is_open else f'{len(kinds)} numbers'} expected")
    for item, kind in zip(value, kinds[:1] * len(value) if is_open else kinds, strict=True):
        check_value(kind, item, name)


def is_text(text: str) -> bool:
    """Whether it is one line that a terminal, a file system and a file of UTF-8 can take."""
    return not any(category(character) in ("Cc", "Cs", "Zl", "Zp") for character in text)
