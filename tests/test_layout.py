"""The folder tree is the architecture: imports point one way, and files stay small."""

import ast
from pathlib import Path

import pytest

import regard

SOURCE = Path(regard.__file__).parent

# Each part may import those before it, and itself.
ORDER = [
    *(
        "lazy",
        "processor",
        "freed_memory",
        "parent_process",
        "errors",
        "files",
        "json_text",
        "settings",
        "untrusted",
        "cluster",
        "folder_files",
        "card",
    ),
    *("config", "families", "shapes", "pictures"),
    *("architectures", "attention", "positions", "layers", "models", "checkpoints", "engine", "diagnosis", "decoding"),
    *("training", "looking", "tasks", "viewer", "serving", "cli"),
]
BELOW = {part: set(ORDER[: number + 1]) for number, part in enumerate(ORDER)}
for part in ORDER[ORDER.index("checkpoints") :]:
    BELOW[part].add("text")
BELOW["errors"] = {"errors"}
BELOW["lazy"] = {"lazy"}
BELOW["processor"] = {"processor"}
BELOW["freed_memory"] = {"freed_memory"}
BELOW["parent_process"] = {"parent_process"}
BELOW["text"] = {"shapes", "files", "json_text", "settings", "untrusted", "errors", "lazy", "text"}
BELOW["__main__"] = {"cli"}
BELOW["__init__"] = {"lazy"}
BELOW["builtin"] = set()  # data only

NAMELESS = {"utils.py", "util.py", "common.py", "helpers.py", "misc.py"}
LONGEST = 400


def part_of(path: Path) -> str:
    """The first step of a path below src/regard: a folder, or a file without its ending."""
    return path.parts[0].removesuffix(".py")


def imported(tree: ast.Module, path: Path) -> list[tuple[int, str]]:
    """Every module of ours that a file names, however deep inside, with its line; `regard.x.y` as 'x.y'."""
    package = ["regard", *path.parent.parts]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            if module == "regard":
                found += [(node.lineno, _home(alias.name)) for alias in node.names]
            else:
                found.append((node.lineno, module))
        elif isinstance(node, ast.Call) and _name(node.func) in ("import_module", "__import__"):
            found += [(node.lineno, arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant)]
    return [(line, name) for line, name in found if name.split(".")[0] == "regard"]


def _home(name: str) -> str:
    """The module that a name imported from `regard` comes from."""
    return regard._PUBLIC.get(name, "" if name == "__version__" else f"regard.{name}")


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def without_typing(tree: ast.Module) -> ast.Module:
    """The file without what stands under `if TYPE_CHECKING:`."""
    kept = [node for node in tree.body if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")]
    return ast.Module(body=kept, type_ignores=[])


def faults(path: Path, source: str) -> list[str]:
    """What is wrong with one file, its path given from src/regard on."""
    tree = ast.parse(source)
    part = part_of(path)
    wrong = []
    if part not in BELOW:
        return [f"{path}: '{part}' has no place in the order of imports"]
    counted = without_typing(tree) if path == Path("__init__.py") else tree
    for line, name in imported(counted, path):
        steps = name.split(".")
        if len(steps) == 1:
            wrong.append(f"{path}:{line}: imports regard as a whole; name the module instead")
        elif steps[1] not in BELOW[part]:
            wrong.append(f"{path}:{line}: {part} may not import {steps[1]}")
    if path.name in NAMELESS:
        wrong.append(f"{path}: a helper lives beside its user; call the file by its subject")
    lines = len(source.splitlines())
    if lines > LONGEST and "long because" not in (ast.get_docstring(tree) or "").lower():
        wrong.append(f"{path}: {lines} lines, and its docstring does not say 'long because ...'")
    return wrong


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_keeps_to_the_layout(path):
    assert faults(path.relative_to(SOURCE), path.read_text()) == []


def test_the_order_is_that_of_the_design():
    assert "pictures" in BELOW["attention"]
    assert "attention" not in BELOW["pictures"]
    assert "text" not in BELOW["models"]
    assert "text" in BELOW["checkpoints"]
    assert BELOW["text"] == {"shapes", "files", "json_text", "settings", "untrusted", "errors", "lazy", "text"}
    assert "looking" not in BELOW["training"]


@pytest.mark.parametrize(
    "source",
    [
        "from regard.attention import attend",
        "import regard.attention.masks",
        "import torch, regard.attention as a",
        "from regard import attention",
        "from regard import attend",
        "from ..attention import attend",
        "from .. import attention",
        "def draw():\n    from regard.attention import attend",
        "class A:\n    def draw(self):\n        if self:\n            import regard.attention",
        "if TYPE_CHECKING:\n    from regard.attention import Pattern",
        "from importlib import import_module\nimport_module('regard.attention')",
    ],
)
def test_an_import_against_the_order_is_found(source):
    found = faults(Path("pictures/terminal.py"), source)
    assert len(found) == 1
    assert "pictures may not import attention" in found[0]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "pictures/terminal.py",
            "from regard.errors import ShapeError\nfrom .labels import fit\nimport torch",
        ),
        (
            "attention/masks/mask.py",
            "from regard.pictures.terminal import boxes\nfrom ..pattern import Pattern",
        ),
        ("cli/main.py", "from regard import __version__\nfrom regard.viewer import server"),
        ("__init__.py", "if TYPE_CHECKING:\n    from regard.looking import watch"),
        ("checkpoints/load.py", "from regard.text import tokenizers"),
        ("pictures/long.py", '"""Long because it is a table."""\n' + "x = 1\n" * LONGEST),
    ],
)
def test_what_follows_the_order_is_left_alone(path, source):
    assert faults(Path(path), source) == []


@pytest.mark.parametrize(
    ("path", "source", "fault"),
    [
        ("__init__.py", "from regard.looking import watch", "may not import looking"),
        ("text/words.py", "from regard.attention import attend", "text may not import attention"),
        ("models/decoder.py", "from regard.text import batches", "models may not import text"),
        ("viewer/server.py", "from regard.cli import main", "viewer may not import cli"),
        ("layers/classification_head.py", "import regard", "name the module"),
        ("stuff/a.py", "", "'stuff' has no place"),
        ("layers/utils.py", "", "call the file by its subject"),
        ("layers/common.py", "", "call the file by its subject"),
        ("layers/big.py", '"""Heads."""\n' + "x = 1\n" * LONGEST, "401 lines"),
    ],
)
def test_other_faults_are_found(path, source, fault):
    (found,) = faults(Path(path), source)
    assert fault in found
