"""Files that were translated, in memory, until they are fetched or make room for others."""

import secrets
import threading
from collections import OrderedDict
from pathlib import PurePath

from regard.serving.limits import ServiceLimits
from regard.serving.refusals import Refusal


class FileStore:
    """The newest files, by a name that cannot be guessed."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self.contents: OrderedDict[str, bytes] = OrderedDict()
        self.lock: threading.Lock = threading.Lock()

    def add(self, suffix: str, content: bytes) -> str:
        """Store a file; its name keeps the ending of the one it came from."""
        suffix = PurePath(suffix).suffix.lower()
        name = secrets.token_hex(16) + (suffix if suffix[1:].isascii() and suffix[1:].isalnum() else "")
        with self.lock:
            self.contents[name] = content
            while len(self.contents) > 1 and (
                len(self.contents) > self.limits.stored_files
                or sum(map(len, self.contents.values())) > self.limits.stored_bytes
            ):
                self.contents.popitem(last=False)
        return name

    def get(self, name: str) -> bytes:
        with self.lock:
            if name not in self.contents:
                raise Refusal(404, "no such file: it made room for newer ones, or never was")
            return self.contents[name]
