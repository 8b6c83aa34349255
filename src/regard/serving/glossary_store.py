"""Glossaries that clients made: each is its client's alone."""

import csv
import io
import json
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from regard.serving.entries import Entries, MemoryEntries
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import Refusal
from regard.text.glossary import Glossary


@dataclass(frozen=True)
class StoredGlossary:
    """Terms of a pair of languages."""

    id: str
    name: str
    source: str
    target: str
    glossary: Glossary
    created: str
    client: str

    @property
    def tsv(self) -> str:
        return "\n".join(f"{source}\t{target}" for source, target in self.glossary.terms.items())

    def encode(self) -> bytes:
        return json.dumps(vars(self) | {"glossary": dict(self.glossary.terms)}).encode()

    @classmethod
    def decode(cls, content: bytes) -> "StoredGlossary":
        fields = json.loads(content)
        return cls(**fields | {"glossary": Glossary(fields["glossary"])})


class GlossaryStore:
    """The glossaries of all clients."""

    def __init__(self, limits: ServiceLimits, entries: Entries | None = None) -> None:
        self.limits = limits
        self.entries: Entries = entries or MemoryEntries()

    def add(self, name: str, pair: tuple[str, str], terms: dict[str, str], client: str) -> StoredGlossary:
        """Store a glossary, if there is room; what is stored is never dropped for others."""
        if not terms or len(terms) > self.limits.glossary_terms:
            raise Refusal(400, f"entries: 1 to {self.limits.glossary_terms} terms expected, got {len(terms)}")
        created = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        glossary = StoredGlossary(str(uuid.uuid4()), name, *pair, Glossary(terms), created, client)
        if len(self.entries.sizes()) >= self.limits.glossaries:
            raise Refusal(456, f"at most {self.limits.glossaries} glossaries are kept: delete one")
        self.entries.put(glossary.id, glossary.encode())
        return glossary

    def get(self, name: str, client: str) -> StoredGlossary:
        content = self.entries.get(name)
        glossary = None if content is None else StoredGlossary.decode(content)
        if glossary is None or glossary.client != client:
            raise Refusal(404, "no such glossary")
        return glossary

    def list(self, client: str) -> list[StoredGlossary]:
        contents = map(self.entries.get, self.entries.sizes())
        glossaries = [StoredGlossary.decode(content) for content in contents if content is not None]
        return [glossary for glossary in glossaries if glossary.client == client]

    def delete(self, name: str, client: str) -> None:
        self.get(name, client)
        self.entries.delete(name)


def parse_terms(entries: str, kind: str) -> dict[str, str]:
    """Terms from lines of two columns, divided by tabs or as CSV has them; a term has one meaning."""
    if kind == "tsv":
        rows = [line.split("\t") for line in entries.splitlines() if line.strip()]
    else:
        try:
            rows = [row for row in csv.reader(io.StringIO(entries), strict=True) if row]
        except csv.Error as problem:
            raise Refusal(400, f"entries: no CSV: {problem}") from None
    terms: dict[str, str] = {}
    for number, row in enumerate(rows, 1):
        source, target = (row[0].strip(), row[1].strip()) if len(row) in (2, 4) else ("", "")
        if not source or not target:
            raise Refusal(400, f"entries: line {number}: a source term and a target term expected")
        if terms.setdefault(source, target) != target:
            raise Refusal(400, f"entries: line {number}: {source[:40]!r} has two meanings")
    return terms
