"""Tests mirror the source: `positions/alibi.py` is tested by `tests/positions/test_alibi.py`, or another test says so.

What a test module tests besides the file of its name stands in its docstring after the words "Also tests".
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import regard

SOURCE, TESTS = Path(regard.__file__).parent, Path(__file__).parent
ALSO = re.compile(r"Also tests: ([^.]+\.py(?:,\s+[^.]+\.py)*)\.")


def does_something(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function has a body beside its docstring, and more in it than a word that it is missing."""
    body = [line for line in function.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
    return not all(isinstance(line, ast.Pass | ast.Raise) for line in body)


def holds_behaviour(source: str) -> bool:
    functions = (
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return any(does_something(function) for function in functions)


def mirrored(path: Path) -> list[Path]:
    """Where the test of a source file may stand: that of a package has the name of the package."""
    if path.name != "__init__.py":
        return [path.with_name(f"test_{path.name}")]
    name = f"test_{path.parent.name or 'regard'}.py"
    return [path.parent / name, path.parent.parent / name]


def also_tested(docstring: str) -> list[str]:
    return [name for names in ALSO.findall(docstring) for name in re.split(r",\s+", names)]


def claims() -> Iterator[tuple[Path, str]]:
    """Which source files test modules say that they test, besides that of their name."""
    for path in sorted(TESTS.rglob("test_*.py")):
        for name in also_tested(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""):
            yield path.relative_to(TESTS), name


BEHAVIOUR = [
    path.relative_to(SOURCE)
    for path in sorted(SOURCE.rglob("*.py"))
    if holds_behaviour(path.read_text(encoding="utf-8"))
]
CLAIMS = list(claims())


@pytest.mark.parametrize("path", BEHAVIOUR, ids=str)
def test_a_file_that_holds_behaviour_has_a_test(path):
    tests = mirrored(path)
    named = [test for test, name in CLAIMS if name == path.as_posix()]
    assert named or any((TESTS / test).exists() for test in tests), (
        f"write tests/{tests[0]}, or say at the end of another test's docstring: Also tests: {path.as_posix()}."
    )


@pytest.mark.parametrize(("test", "name"), CLAIMS, ids=str)
def test_what_a_test_says_that_it_tests_is_there(test, name):
    assert (SOURCE / name).is_file(), f"tests/{test} also tests {name}, which is not there"
    assert test not in mirrored(Path(name)), f"tests/{test} tests {name} by its name alone"


def test_what_is_also_tested_is_read_from_a_docstring():
    assert also_tested("Masks. Also tests: a/b.py, a/c_d.py,\ne.py.") == ["a/b.py", "a/c_d.py", "e.py"]
    assert also_tested("Masks of a/b.py.") == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("X = 1", False),
        ("class A:\n    x: int", False),
        ("def f():\n    '''Says nothing.'''", False),
        ("def f():\n    raise NotImplementedError", False),
        ("def f():\n    return 1", True),
        ("class A:\n    async def f(self):\n        self.x = 1", True),
    ],
)
def test_tables_and_types_hold_no_behaviour(source, expected):
    assert holds_behaviour(source) == expected
