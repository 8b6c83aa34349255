"""Messages become one prompt, as the template in a model's folder says.

A template is a program in Jinja's language by whoever made the folder. It runs in Jinja's sandbox, which keeps it from
everything but the messages, and what it writes is cut off at a length.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from regard.errors import CheckpointError
from regard.serving.refusals import Refusal
from regard.untrusted import first_line, read_bytes, read_optional_json

if TYPE_CHECKING:
    from jinja2 import Template

TOKENIZER, FILE = "tokenizer_config.json", "chat_template.jinja"
LARGEST = 1 << 20
MOST_LETTERS = 1 << 20


class ChatTemplate:
    """The template of a folder."""

    def __init__(self, source: str, tokens: Mapping[str, str], folder: Path) -> None:
        self.tokens = tokens
        self.folder = folder
        self.template: Template = compile_template(source, folder)

    @classmethod
    def read(cls, folder: Path) -> "ChatTemplate | None":
        """From a file of its own or from the tokeniser's; None where the folder has none."""
        entries = read_optional_json(folder / TOKENIZER)
        if (folder / FILE).is_file():
            source: object = read_bytes(folder / FILE, LARGEST).decode("utf-8", "replace")
        else:
            source = entries.get("chat_template")
            if isinstance(source, list):  # several by name
                named = [one for one in source if isinstance(one, dict) and one.get("name") == "default"]
                source = named[0].get("template") if named else None
        if not isinstance(source, str):
            return None
        return cls(source, special_tokens(entries), folder)

    def render(self, messages: Sequence[Mapping[str, object]]) -> str:
        """The prompt, which ends where the answer begins."""
        parts: list[str] = []
        length = 0
        try:
            for part in self.template.generate(messages=messages, add_generation_prompt=True, **self.tokens):
                length += len(part)
                if length > MOST_LETTERS:
                    raise Refusal(400, f"the chat template writes more than {MOST_LETTERS} letters")
                parts.append(part)
        except Refusal:
            raise
        except Exception as problem:  # of many kinds: whatever a template does wrong, or refuses
            raise Refusal(400, f"the chat template refuses these messages: {first_line(problem)}") from None
        return "".join(parts)


def compile_template(source: str, folder: Path) -> "Template":
    from jinja2 import TemplateError, TemplateSyntaxError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    def raise_exception(message: object) -> None:
        raise TemplateError(str(message))

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
    environment.globals["raise_exception"] = raise_exception
    try:
        return environment.from_string(source)
    except TemplateSyntaxError as problem:
        raise CheckpointError(f"{folder}: the chat template cannot be read: {first_line(problem)}") from None


def special_tokens(entries: Mapping[str, object]) -> dict[str, str]:
    """Tokens that a template may name: a text, or an object that has it."""
    tokens = {}
    for role in ("bos", "eos", "unk", "pad", "sep", "cls"):
        value = entries.get(f"{role}_token")
        value = value.get("content") if isinstance(value, dict) else value
        tokens[f"{role}_token"] = value if isinstance(value, str) else ""
    return tokens
