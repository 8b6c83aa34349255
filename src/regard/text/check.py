"""What is wrong with files of text, in one pass: faults that stop training, and what else a reader should know."""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from regard.text.duplicates import DuplicateLines
from regard.text.lines import LONGEST, DataError, raw_lines

FEW = 3  # locations that are shown of each kind
WHOLE = 1 << 20  # bytes of a line that are kept; more than that is read, but not compared
BREAKS = re.compile("[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
SHORT = 40  # bytes up to which a text may be much longer than its partner

FAULTS = {
    "unreadable": "cannot be read or unpacked",
    "empty file": "no line in it",
    "not UTF-8": "bytes that are no text",
    "NUL": "a character that is no text",
    "endless": f"lines of more than {LONGEST >> 20} MiB",
    "columns": "not two texts with one tab between them",
    "unequal": "lines without a partner in the other file",
    "empty side": 'pairs without text on one side or on both, unless data.faulty = "leave-out"',
}
"""What stops training."""

WARNINGS = {
    "BOM": "a byte-order mark, which would be read as part of the text",
    "CRLF": "lines that end in a carriage return, which would be read as part of the text",
    "line breaks": "other characters that some programs take for the end of a line",
    "empty": "lines without text",
    "long": "lines longer than {max_characters:,} characters",
    "same": "source and target are the same",
    "repeated": "lines that were there before",
    "lopsided": "one side more than {ratio:g} times as long as the other, in bytes",
}
"""What does not."""


@dataclass(frozen=True)
class Finding:
    """Something found: how often, and where first. `stops` says whether training would refuse it."""

    kind: str
    meaning: str
    stops: bool
    count: int
    locations: tuple[str, ...]
    estimated: bool = False


@dataclass(frozen=True)
class DataReport:
    """What was found in which files, and how many lines they have."""

    files: tuple[str, ...]
    lines: tuple[int, ...]
    findings: tuple[Finding, ...]

    @property
    def stops(self) -> bool:
        return any(finding.stops for finding in self.findings)


@dataclass
class Tally:
    """Counts and first locations, by kind."""

    counts: dict[str, int] = field(default_factory=dict)
    locations: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, location: str, count: int = 1) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + count
        locations = self.locations.setdefault(kind, [])
        if len(locations) < FEW:
            locations.append(location)


def check_files(files: Sequence[str | Path], *, max_characters: int = 2000, ratio: float = 4.0) -> DataReport:
    """Look through one file, or two whose lines belong together; .tsv holds both sides; .gz and .xz are unpacked."""
    paths = [Path(file) for file in files]
    if len(paths) not in (1, 2):
        raise DataError(f"one file or two parallel ones expected, got {len(paths)}")
    tally, repeats, counts = Tally(), DuplicateLines(), [0] * len(paths)
    tabbed = len(paths) == 1 and ".tsv" in paths[0].suffixes
    sides = [lines_of(path, tally) for path in paths]
    number = 0
    while True:
        lines = [next(side, None) for side in sides]
        if all(line is None for line in lines):
            break
        number += 1
        texts: list[bytes | None] = []
        for location, line in enumerate(lines):
            if line is not None:
                counts[location] = number
                empty = None if tabbed else "empty" if len(paths) == 1 else "empty side"
                texts.append(check_line(line, f"{paths[location]}:{number}", tally, max_characters, empty))
        if len(texts) < len(paths):
            continue
        location = f"{paths[0]}:{number}"
        pair = split(texts[0], location, tally) if tabbed else texts
        if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
            check_pair(pair[0], pair[1], location, tally, ratio)
        whole = [text for text in texts if text is not None]
        if len(whole) == len(texts) and any(text.strip() for text in whole):
            for repeat in repeats.add(b"\n".join(whole), number):
                tally.add("repeated", f"{paths[0]}:{repeat}")
    for repeat in repeats.flush():
        tally.add("repeated", f"{paths[0]}:{repeat}")
    if repeats.count:
        tally.counts["repeated"] = repeats.count
    finish(paths, counts, tally)
    return make_report(paths, counts, tally, repeats.share > 1, {"max_characters": max_characters, "ratio": ratio})


def lines_of(path: Path, tally: Tally) -> Iterator[tuple[bytes, bool]]:
    """Lines with their ends, and whether they are whole: of one longer than WHOLE only the beginning is given."""
    parts = raw_lines(path, WHOLE)
    number = 0
    try:
        for line in parts:
            number += 1
            if line.endswith(b"\n") or len(line) < WHOLE:
                yield line, True
            else:
                drain(line, parts, f"{path}:{number}", tally)
                yield line, False
    except DataError:
        if number == 0 and not path.is_file():
            raise
        tally.add("unreadable", f"{path}:{number + 1}")


def drain(line: bytes, parts: Iterator[bytes], location: str, tally: Tally) -> None:
    """Read an endless line to its end, keeping none of it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    bad = nul = False
    size = 0
    while line:
        size += len(line)
        nul = nul or b"\0" in line
        try:
            decoder.decode(line, final=line.endswith(b"\n"))
        except UnicodeDecodeError:
            bad = True
            decoder.reset()
        line = b"" if line.endswith(b"\n") else next(parts, b"")
    if bad:
        tally.add("not UTF-8", location)
    if nul:
        tally.add("NUL", location)
    if size > LONGEST:
        tally.add("endless", location)


def check_line(
    line: tuple[bytes, bool], location: str, tally: Tally, max_characters: int, empty: str | None
) -> bytes | None:
    """What one line shows by itself; gives its text, or None where it is not to be compared.

    `empty` is what a line without text counts as, None: nothing by itself.
    """
    text, is_whole = line
    if text.startswith(codecs.BOM_UTF8):
        tally.add("BOM", location)
    if not is_whole:
        tally.add("long", location)
        return None
    text = text.removesuffix(b"\n")
    if text.endswith(b"\r"):
        tally.add("CRLF", location)
        text = text[:-1]
    if b"\0" in text:
        tally.add("NUL", location)
    try:
        characters = text.decode("utf-8")
    except UnicodeDecodeError:
        tally.add("not UTF-8", location)
        return None
    if len(characters) > max_characters:
        tally.add("long", location)
    if BREAKS.search(characters):
        tally.add("line breaks", location)
    if empty is not None and not characters.strip():
        tally.add(empty, location)
    return text


def split(text: bytes | None, location: str, tally: Tally) -> list[bytes | None]:
    """The two sides of a line with a tab."""
    if text is None:
        return []
    columns = text.split(b"\t")
    if len(columns) != 2:
        tally.add("columns", location)
        return []
    if not all(column.strip() for column in columns):
        tally.add("empty side", location)
    return [*columns]


def check_pair(source: bytes, target: bytes, location: str, tally: Tally, ratio: float) -> None:
    """What two texts show beside each other."""
    short, long = sorted((len(source), len(target)))
    if short and source.strip() == target.strip():
        tally.add("same", location)
    if short and long > SHORT and long > ratio * short:
        tally.add("lopsided", location)


def finish(paths: Sequence[Path], counts: Sequence[int], tally: Tally) -> None:
    """What only the end shows."""
    broken = tally.locations.get("unreadable", [])
    for path, count in zip(paths, counts, strict=True):
        if count == 0 and not any(location.startswith(str(path)) for location in broken):
            tally.add("empty file", str(path))
    if not broken and min(counts) != max(counts):
        longer = paths[list(counts).index(max(counts))]
        tally.add("unequal", f"{longer}:{min(counts) + 1}", max(counts) - min(counts))


def make_report(
    paths: Sequence[Path], counts: Sequence[int], tally: Tally, estimated: bool, settings: dict[str, float]
) -> DataReport:
    findings = [
        Finding(
            kind,
            meaning.format(**settings),
            kind in FAULTS,
            tally.counts[kind],
            tuple(tally.locations.get(kind, [])),
            estimated and kind == "repeated",
        )
        for kind, meaning in {**FAULTS, **WARNINGS}.items()
        if kind in tally.counts
    ]
    return DataReport(tuple(map(str, paths)), tuple(counts), tuple(findings))
