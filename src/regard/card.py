"""What a model card says to programs: the block between dashes at its beginning, as the Hugging Face Hub reads it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CARD = "README.md"


@dataclass(frozen=True)
class Card:
    """The licence, the scores that the model reached, by name, and the languages, of a translator the source first."""

    licence: str = ""
    scores: dict[str, float] = field(default_factory=dict)
    languages: tuple[str, ...] = ()


def read_card(folder: Path) -> Card:
    """The card of a folder; one that says nothing, or cannot be understood, is empty."""
    from huggingface_hub import metadata_load

    try:
        metadata: dict[str, Any] = metadata_load(folder / CARD) or {}
        results = [result for entry in metadata.get("model-index") or [] for result in entry["results"]]
        measured = [metric for result in results for metric in result["metrics"]]
        named = [(str(metric.get("name") or metric["type"]), float(metric["value"])) for metric in measured]
        scores = dict(reversed(named))  # of several sets the first
        scores = {name: scores[name] for name, _ in named}
        named_languages = metadata.get("language") or []
        languages = [named_languages] if isinstance(named_languages, str) else named_languages
        languages = tuple(str(language) for language in languages)
    except Exception:  # whatever somebody wrote there: nothing is decided by it
        return Card()
    return Card(str(metadata.get("license") or ""), scores, languages)
