"""How a request is described in the OpenAPI schema where its body comes in several ways."""

from typing import Any

from pydantic import BaseModel

FORM = "application/x-www-form-urlencoded"


def body_of(kind: type[BaseModel], *, media: str | None = None, file: str | None = None) -> dict[str, Any]:
    """The body of a request: as JSON or as a form, or in one way alone; `file` is the name of a file in it."""
    schema = kind.model_json_schema()
    definitions = schema.pop("$defs", {})
    schema = inline(schema, definitions)
    if file is not None:
        schema["properties"][file] = {"type": "string", "format": "binary"}
    kinds = ("application/json", FORM) if media is None else (media,)
    return {"requestBody": {"required": True, "content": {name: {"schema": schema} for name in kinds}}}


def inline(schema: Any, definitions: dict[str, Any]) -> Any:
    """A schema in which what was defined elsewhere stands in its place."""
    if isinstance(schema, list):
        return [inline(part, definitions) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return inline(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    return {name: inline(part, definitions) for name, part in schema.items()}
