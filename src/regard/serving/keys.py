"""Who may ask: keys from a file, compared in constant time."""

import hashlib
import hmac
from collections.abc import Iterable
from pathlib import Path

from regard.errors import RegardError

SHORTEST = 8
LARGEST = 1 << 20
SCHEMES = ("Bearer ", "DeepL-Auth-Key ")


class Keys:
    """The keys that are good; without any, everybody may ask."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self.digests: tuple[bytes, ...] = tuple(digest(key) for key in keys)

    @classmethod
    def read(cls, path: str | Path) -> "Keys":
        """A key a line; empty lines and those after # are skipped."""
        try:
            with Path(path).open("rb") as file:
                content = file.read(LARGEST + 1)
            lines = [line.strip() for line in content.decode("utf-8").splitlines()]
        except UnicodeDecodeError:
            raise RegardError(f"{path}: keys in UTF-8 expected, one a line") from None
        except OSError as problem:
            raise RegardError(f"{path}: keys cannot be read: {problem.strerror or problem}") from None
        if len(content) > LARGEST:
            raise RegardError(f"{path}: keys of at most {LARGEST >> 20} MiB expected")
        keys = [line for line in lines if line and not line.startswith("#")]
        for number, line in enumerate(lines, 1):
            if line in keys and (len(line) < SHORTEST or not line.isascii() or " " in line):
                raise RegardError(f"{path}:{number}: a key of {SHORTEST} or more letters of ASCII, no spaces, expected")
        if not keys:
            raise RegardError(f"{path}: at least one key expected, one a line")
        return cls(keys)

    @property
    def are_needed(self) -> bool:
        return bool(self.digests)

    def client(self, candidates: Iterable[str]) -> str | None:
        """A name for whoever has one of the keys, which tells nothing of it; None for nobody.

        Every key is compared with every candidate, to the end: how long it takes says nothing of what was right.
        """
        name = None
        for candidate in candidates:
            given = digest(candidate)
            for number, known in enumerate(self.digests):
                if hmac.compare_digest(given, known):
                    name = f"key {number + 1}"
        return name


def digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def key_of(authorization: str) -> str:
    """The key in an Authorization header, whichever protocol it is of."""
    for scheme in SCHEMES:
        if authorization.lower().startswith(scheme.lower()):
            return authorization[len(scheme) :].strip()
    return authorization.strip()
