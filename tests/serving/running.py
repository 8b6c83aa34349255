"""`regard serve` as a program of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from browsing import free


@dataclass
class RunningService:
    """Where it listens, and the process."""

    base: str
    process: Any


@contextmanager
def running(*arguments: str, exit_code: int = 0) -> Iterator[RunningService]:
    """A service with these arguments, told to stop at the end, which it has to do in peace."""
    command = [sys.executable, "-m", "regard", "serve", "--json", "--threads", "1", "--port", str(free()), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            yield RunningService(json.loads(process.stdout.readline())["url"].rstrip("/"), process)
        finally:
            process.terminate()
        assert process.wait(60) == exit_code
