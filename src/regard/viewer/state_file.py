"""What somebody saw, as a file: a state that the page saved, or a page to explore, which holds one, too."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from regard.errors import RegardError

ENDINGS = (".regard.json", ".html")
SAVED = re.compile(r'<script type="application/json" id="saved">(.*?)</script>', re.DOTALL)
LARGEST = 1 << 28  # bytes


@dataclass(frozen=True)
class PageState:
    """The model that was looked at, and the page's address, from its # on."""

    model: str
    address: str

    def address_for(self, model: str) -> str:
        """The address with the model as it is called here."""
        view, _, query = self.address.partition("?")
        parts = [(key, value) for key, value in parse_qsl(query, keep_blank_values=True) if key != "model"]
        return f"{view}?{urlencode([*([('model', model)] if model else []), *parts])}"


def is_state_file(text: str) -> bool:
    """Whether a text is the name of such a file that is there."""
    name = text.strip()
    return len(name) < 4096 and "\n" not in name and name.endswith(ENDINGS) and Path(name).is_file()


def read_state(name: str) -> PageState:
    path = Path(name.strip())
    if path.stat().st_size > LARGEST:
        raise RegardError(f"{path}: at most {LARGEST >> 20} MiB expected")
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            saved = SAVED.search(text)
            record = json.loads(saved[1]) if saved else None
        else:
            record = json.loads(text)
    except (OSError, ValueError) as problem:
        raise RegardError(f"{path}: not a file that the page saved: {problem}") from None
    return state_of(record, path)


def state_of(record: Any, path: Path) -> PageState:
    """A state file says its model and address; a page to explore has them in its run and its hash."""
    fields = record if isinstance(record, dict) else {}
    run = fields.get("run")
    model = run.get("model") if isinstance(run, dict) else fields.get("model")
    address = fields.get("hash") if isinstance(run, dict) else fields.get("address")
    if not isinstance(model, str) or not isinstance(address, str) or not address.startswith("#"):
        raise RegardError(f"{path}: not a file that the page saved: a model and an address expected in it")
    return PageState(model, address)
