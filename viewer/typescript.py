"""The payload as TypeScript: `python viewer/typescript.py > viewer/src/payload.ts`; a test compares the two."""

import inspect
import json
from typing import Any

from pydantic import BaseModel

from regard.viewer import payload


def payload_types() -> str:
    """The version of the API, and an interface for every request and answer."""
    models = [
        kind
        for kind in vars(payload).values()
        if inspect.isclass(kind) and issubclass(kind, BaseModel) and kind.__module__ == payload.__name__
    ]
    interfaces = [interface(kind) for kind in models if kind.model_fields]
    return "\n".join(
        [
            "/** Made by viewer/typescript.py from regard.viewer.payload; not written by hand. */",
            "",
            f"export const API_VERSION = {payload.API_VERSION};",
            "",
            *interfaces,
        ]
    )


def interface(kind: type[BaseModel]) -> str:
    """What is sent to the server may leave out what has a default; what comes from it is whole."""
    schema = kind.model_json_schema()
    is_request = issubclass(kind, payload.RequestModel)
    lines = [
        f"  {name}{'?' if is_request and not field.is_required() else ''}: {type_of(schema['properties'][name])};"
        for name, field in kind.model_fields.items()
    ]
    first = inspect.getdoc(kind) or kind.__name__
    return "\n".join([f"/** {first.splitlines()[0]} */", f"export interface {kind.__name__} {{", *lines, "}", ""])


PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def type_of(schema: dict[str, Any]) -> str:
    """A JSON schema as a type."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(choice) for choice in schema["anyOf"]))
    if "prefixItems" in schema:
        return f"[{', '.join(type_of(item) for item in schema['prefixItems'])}]"
    if schema.get("type") == "array":
        item = type_of(schema["items"])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if schema.get("type") == "object":
        return "Record<string, unknown>"
    return PLAIN[schema["type"]]


if __name__ == "__main__":
    print(payload_types(), end="")
