"""One word, one meaning: no two types of the package share a name, over Python, C++ and TypeScript."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SAME_THING = (
    ("src/regard/viewer/payload.py", "viewer/src/payload.ts"),  # a message, on both ends of the wire
    ("src/regard/engine/library.py", "src/regard/engine/source/api.h"),  # a struct, on both sides of the C interface
)
"""Files in which a name stands for one and the same thing."""
SHARED: dict[str, str] = {
    "EmbeddedStack": "the engine's copy of the layer of that name",
    "EngineState": "the Python handle of the C++ object",
    "Four": "one struct for each instruction set, of which one is compiled",
    "Linear": "the engine's copy of the layer of that name",
}
"""Other names that stand for one thing in two languages, with the reason."""
NOUNS_WANTED = {"Found", "Told", "Kept", "Given", "Asked", "Wanted", "Known", "Said", "Shown", "Made"}


def python_types() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "src/regard").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield node.name, f"{path.relative_to(ROOT)}:{node.lineno}"


def other_types(folder: str, endings: tuple[str, ...], pattern: str) -> Iterator[tuple[str, str]]:
    for path in sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in endings):
        if "node_modules" in path.parts:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if match := re.match(pattern, line):
                yield match[1], f"{path.relative_to(ROOT)}:{number}"


def all_types() -> dict[str, list[str]]:
    """Where each type of the project is defined."""
    locations: dict[str, list[str]] = defaultdict(list)
    cpp = other_types("src/regard/engine/source", (".cpp", ".h"), r"\s*(?:struct|class) (\w+)(?! \w+\(| \w+;|;)[^;]*$")
    page = other_types(
        "viewer/src", (".ts", ".tsx"), r"(?:export )?(?:default )?(?:abstract )?(?:class|interface|type|enum) (\w+)"
    )
    for types in (python_types(), cpp, page):
        for name, where in types:
            locations[name].append(where)
    return locations


def is_one_thing(name: str, where: list[str]) -> bool:
    """Whether all locations where a name is defined speak of the same."""
    files = tuple(location.rpartition(":")[0] for location in where)
    return name in SHARED or files in SAME_THING


def test_no_two_types_share_a_name():
    shared = {name: where for name, where in all_types().items() if len(where) > 1 and not is_one_thing(name, where)}
    assert not shared, "\n".join(f"{name}: {', '.join(where)}" for name, where in sorted(shared.items()))


def test_what_may_be_shared_is_shared():
    assert not {name for name in SHARED if len(all_types().get(name, ())) < 2}


@pytest.mark.parametrize("name", sorted(NOUNS_WANTED))
def test_no_type_is_called_by_how_it_came(name):
    assert not [where for other, where in all_types().items() if other == name]
