"""The payload as TypeScript: `python viewer/typescript.py > viewer/src/payload.ts`; a test compares the two."""

import inspect
import json
from typing import Any

from pydantic import BaseModel

from regard.viewer import payload


def written() -> str:
    """An interface for every request and answer of the API."""
    found = [
        kind
        for kind in vars(payload).values()
        if inspect.isclass(kind) and issubclass(kind, BaseModel) and kind.__module__ == payload.__name__
    ]
    shown = [interface(kind) for kind in found if kind.model_fields]
    return "\n".join(
        ["/** Made by viewer/typescript.py from regard.viewer.payload; not written by hand. */", "", *shown]
    )


def interface(kind: type[BaseModel]) -> str:
    """What is sent to the server may leave out what has a default; what comes from it is whole."""
    schema = kind.model_json_schema()
    is_sent = issubclass(kind, payload.Given)
    lines = [
        f"  {name}{'?' if is_sent and not field.is_required() else ''}: {spelled(schema['properties'][name])};"
        for name, field in kind.model_fields.items()
    ]
    first = inspect.getdoc(kind) or kind.__name__
    return "\n".join([f"/** {first.splitlines()[0]} */", f"export interface {kind.__name__} {{", *lines, "}", ""])


PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def spelled(schema: dict[str, Any]) -> str:
    """A JSON schema as a type."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(spelled(choice) for choice in schema["anyOf"]))
    if "prefixItems" in schema:
        return f"[{', '.join(spelled(item) for item in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        inner = spelled(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if schema.get("type") == "object":
        return "Record<string, unknown>"
    return PLAIN[schema["type"]]


if __name__ == "__main__":
    print(written(), end="")
