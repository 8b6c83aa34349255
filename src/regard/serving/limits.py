"""What a service allows, so that no client takes the machine from the others."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ServiceLimits:
    """Beyond `waiting` texts in all a client is told that the service is full (503), beyond `waiting_of_client` of its
    own that it asks too much (429); both with the time to come back after.

    A batch takes `batch_texts` sentences or prompts of `batch_tokens` tokens at most, so that whoever comes next does
    not wait long. Of answers that can be looked into, glossaries and files, the oldest make room for new ones.
    """

    body: int = 2 << 20  # bytes
    file: int = 16 << 20
    letters: int = 200_000  # of all texts of a request
    texts: int = 1024
    text_tokens: int = 4096  # of one text: an alignment grows with their square
    seconds: float = 120.0
    max_new_tokens: int = 1024
    choices: int = 16
    edits: int = 64
    batch_texts: int = 64
    batch_tokens: int = 4096
    waiting: int = 20_000
    waiting_of_client: int = 8_000
    cells: int = 1 << 18  # of a region of attention
    stored_answers: int = 256
    stored_tokens: int = 1 << 18
    stored_files: int = 32
    stored_bytes: int = 64 << 20
    glossaries: int = 256
    glossary_terms: int = 10_000
    requests: int = 512  # that are open at once


LIMITS = ServiceLimits()
