"""Whether a config that was read from a file is made of what it should be."""

from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from regard.errors import CheckpointError

PLAIN = {int, float, bool, str, NoneType}


def check_types(config: Any, where: str) -> None:
    """Raise if a number of a config is a word, or the like; its parts are looked at too."""
    hints = get_type_hints(type(config))
    for field in fields(config):
        value, hint = getattr(config, field.name), hints[field.name]
        if is_dataclass(value):
            check_types(value, where)
            continue
        allowed = set(get_args(hint)) if get_origin(hint) is UnionType else {hint}
        if not allowed <= PLAIN or type(value) in allowed or (type(value) is int and float in allowed):
            continue
        expected = " or ".join(sorted("nothing" if kind is NoneType else kind.__name__ for kind in allowed))
        raise CheckpointError(
            f"{where}: {expected} expected for the {field.name} of its {type(config).__name__}, got {value!r}"
        )
