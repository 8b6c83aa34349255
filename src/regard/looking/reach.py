"""How far texts came while edits named their positions: one that is being written need not come as far as they say."""

from collections.abc import Sequence

from regard.attention import Pattern
from regard.looking.edit_fields import Record
from regard.looking.layer_names import attends_to_source, reads_source
from regard.looking.set_weights import is_cross_attention

NAMES = {
    "hide": ("hidden position", "hidden positions"),
    "set": ("row", "rows"),
    "cut": ("cut position", "cut positions"),
    "set_pairs": ("position of a pair", "positions of pairs"),
    "site": ("edited position", "edited positions"),
}
PAIRS = ("cut", "set_pairs")


class Reach:
    """What edits named, and the most tokens that any text had where they were at work."""

    def __init__(self) -> None:
        self.records: dict[int, tuple[Record, Sequence[int], int]] = {}  # kept, so that no number comes twice
        self.started: dict[int, tuple[Record, bool]] = {}

    def note_length(self, record: Record, layer: str, tokens: int) -> None:
        """A text has so many tokens now, at a layer that an edit is meant for."""
        if named := positions(record, layer):
            before = self.records[id(record)][2] if id(record) in self.records else 0
            self.records[id(record)] = record, named, max(tokens, before)

    def note_start(self, record: Record, has_started: bool) -> None:
        """An edit that waits for a token was asked whether it came."""
        before = id(record) in self.started and self.started[id(record)][1]
        self.started[id(record)] = record, has_started or before

    def unreached(self) -> list[str]:
        """What was named and never reached, one line for each kind of edit."""
        waiting = [record["start"]["token"] for record, has_started in self.started.values() if
                   not has_started and isinstance(record.get("start"), dict)]  # fmt: skip
        lines = [f"an edit was to start at token {' or '.join(map(str, tokens[:8]))}, which never came"
                 for tokens in waiting]  # fmt: skip
        for kind, (singular, plural) in NAMES.items():
            named_lengths = [
                (named, tokens) for record, named, tokens in self.records.values() if kind_of(record) == kind
            ]
            named_positions = {position for named, _ in named_lengths for position in named}
            reached = {
                position for named, tokens in named_lengths for position in named if -tokens <= position < tokens
            }
            if missing := sorted(named_positions - reached):
                what = f"{singular} {missing[0]} was" if len(missing) == 1 else f"{plural} {listed(missing)} were"
                lines.append(f"the {what} never reached: {max(tokens for _, tokens in named_lengths)} tokens at most")
        return lines


def kind_of(record: Record) -> str:
    return "site" if "site" in record else record["do"]


def positions(record: Record, layer: str) -> Sequence[int]:
    """The positions that an edit names in a text that may still grow; those of a source have to be there at once."""
    if "site" in record:
        start = record.get("start")
        starts = [start] if isinstance(start, int) else []
        return () if reads_source(layer) else [*(record.get("positions") or ()), *starts]
    if record["do"] in PAIRS and not attends_to_source(layer):
        return [*(record.get("queries") or ()), *(record.get("keys") or ())]
    if record["do"] == "hide" and not attends_to_source(layer):
        return record["positions"]
    return (record["rows"] or ()) if record["do"] == "set" and not reads_source(layer) else ()


def tokens_of(pattern: Pattern, record: Record, layer: str) -> int:
    """How many tokens there are of the text whose positions an edit names: those that look, or are looked at."""
    if record["do"] == "set" and pattern.query_positions is not None:
        return int(pattern.query_positions.max()) + 1 if pattern.shape[2] else 0
    return pattern.shape[2] if record["do"] == "set" and is_cross_attention(layer) else keys_so_far(pattern)


def keys_so_far(pattern: Pattern) -> int:
    """How many tokens the text has that is looked at, padding not counted."""
    return int(pattern.positions.max()) + 1 if pattern.positions.numel() else 0


def listed(numbers: Sequence[int], most: int = 8) -> str:
    return ", ".join(map(str, numbers[:most])) + (f", … ({len(numbers)} in all)" if len(numbers) > most else "")
