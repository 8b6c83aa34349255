"""Files that were translated, until they make room for others."""

import secrets
from pathlib import PurePath

from regard.serving.entries import Entries, MemoryEntries, make_room
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import Refusal


class FileStore:
    """The newest files, by a name that cannot be guessed."""

    def __init__(self, limits: ServiceLimits, entries: Entries | None = None) -> None:
        self.limits = limits
        self.entries: Entries = entries or MemoryEntries()

    def add(self, suffix: str, content: bytes) -> str:
        """Store a file; its name keeps the ending of the one it came from."""
        suffix = PurePath(suffix).suffix.lower()
        name = secrets.token_hex(16) + (suffix if suffix[1:].isascii() and suffix[1:].isalnum() else "")
        self.entries.put(name, content)
        make_room(self.entries, self.limits.stored_files, self.limits.stored_bytes)
        return name

    def get(self, name: str) -> bytes:
        content = self.entries.get(name)
        if content is None:
            raise Refusal(404, "no such file: it made room for newer ones, or never was")
        return content
