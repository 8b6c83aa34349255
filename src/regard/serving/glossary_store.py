"""Glossaries that clients made, in memory: each is its client's alone."""

import csv
import io
import threading
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime

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


class GlossaryStore:
    """The glossaries of all clients."""

    def __init__(self, limits: ServiceLimits) -> None:
        self.limits = limits
        self.glossaries: OrderedDict[str, StoredGlossary] = OrderedDict()
        self.lock: threading.Lock = threading.Lock()

    def add(self, name: str, pair: tuple[str, str], terms: dict[str, str], client: str) -> StoredGlossary:
        """Store a glossary, if there is room; what is stored is never dropped for others."""
        if not terms or len(terms) > self.limits.glossary_terms:
            raise Refusal(400, f"entries: 1 to {self.limits.glossary_terms} terms expected, got {len(terms)}")
        created = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        glossary = StoredGlossary(str(uuid.uuid4()), name, *pair, Glossary(terms), created, client)
        with self.lock:
            if len(self.glossaries) >= self.limits.glossaries:
                raise Refusal(456, f"at most {self.limits.glossaries} glossaries are kept: delete one")
            self.glossaries[glossary.id] = glossary
        return glossary

    def get(self, name: str, client: str) -> StoredGlossary:
        with self.lock:
            glossary = self.glossaries.get(name)
        if glossary is None or glossary.client != client:
            raise Refusal(404, "no such glossary")
        return glossary

    def list(self, client: str) -> list[StoredGlossary]:
        with self.lock:
            return [glossary for glossary in self.glossaries.values() if glossary.client == client]

    def delete(self, name: str, client: str) -> None:
        self.get(name, client)
        with self.lock:
            self.glossaries.pop(name, None)


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
