"""The examples, as modules and as commands."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

from click.testing import CliRunner

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_json(module: ModuleType, *arguments: str) -> object:
    """What the command of an example prints with --json."""
    result = CliRunner().invoke(module.main, ["--json", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.output)
