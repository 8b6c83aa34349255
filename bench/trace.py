"""From a command to its printed text: which files of the package take part, and how many calls between them.

    python bench/trace.py            `regard translate` with the built-in en-de, and a run of the viewer
    python bench/trace.py --passes   functions that only pass their arguments on

A hop is a call from one function of the package to another one in another file. Models are loaded before, so that what
is counted is what a text goes through; the second call of each is the one that is counted.
"""

import ast
import inspect
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import Any

import click

import regard

ROOT = Path(regard.__file__).parent
SENTENCE = "Where is the station?"


class Trace:
    """Counts calls between files of the package."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.hops: Counter[tuple[str, str]] = Counter()
        self.is_on = False

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if not self.is_on or event != "call" or not (callee := inside(frame)):
            return
        self.files[callee] += 1
        caller = inside(frame.f_back) if frame.f_back else None
        if caller and caller != callee:
            self.hops[caller, callee] += 1


def inside(frame: FrameType) -> str | None:
    """The file of the package that a frame belongs to."""
    path = Path(frame.f_code.co_filename)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else None


def translate() -> Callable[[], None]:
    """`regard translate`, in this process."""
    from regard.cli.main import regard as command

    def call() -> None:
        with redirect_stdout(TextIOWrapper(BytesIO())):
            command(["translate", "-m", "en-de", SENTENCE], standalone_mode=False)

    return call


def viewer() -> Callable[[], None]:
    """A run of the viewer, as a page asks for it, and what the page is told of it."""
    from starlette.testclient import TestClient

    from regard.viewer import server
    from regard.viewer.guard import ServerAddress
    from regard.viewer.model_store import ModelStore

    client = TestClient(
        server.create_app(ModelStore(), ServerAddress(port=80)), base_url="http://127.0.0.1"
    ).__enter__()

    def call() -> None:
        lines = client.post("/api/runs", json={"model": "en-de", "text": SENTENCE, "beam": 4}).text.splitlines()
        state = json.loads(lines[-1])
        assert state["state"] == "done", state
        assert client.get(f"/api/runs/{state['run']}").status_code == 200

    return call


def passes() -> Iterator[str]:
    """Functions whose whole body is one call with exactly the arguments that they were called with."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and not node.decorator_list and hands_on(node):
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def hands_on(node: ast.FunctionDef) -> bool:
    """Whether a function does nothing but call another one with its own arguments, in their order."""
    body = [line for line in node.body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or not isinstance(body[0].value, ast.Call):
        return False
    call, names = body[0].value, [argument.arg for argument in node.args.args if argument.arg != "self"]
    plain = [argument.id for argument in call.args if isinstance(argument, ast.Name)]
    return bool(names) and plain == names and len(plain) == len(call.args) and not call.keywords


@click.command(help=inspect.cleandoc(__doc__ or ""))
@click.option("--passes", "only_passes", is_flag=True, help="Functions that only pass their arguments on.")
@click.option("--files", is_flag=True, help="The files, too.")
def main(only_passes: bool, files: bool) -> None:
    if only_passes:
        print("\n".join(passes()))
        return
    for name, make in (("regard translate", translate), ("a viewer run", viewer)):
        trace = Trace()
        threading.setprofile(trace)  # threads that begin from here on, and this one
        sys.setprofile(trace)
        call = make()
        call()  # imports and loads
        trace.is_on = True
        call()
        sys.setprofile(None)
        threading.setprofile(None)
        print(f"{name}: {len(trace.files)} files, {sum(trace.hops.values())} hops")
        for path, count in trace.files.most_common() if files else ():
            print(f"  {count:6} {path}")


if __name__ == "__main__":
    main()
