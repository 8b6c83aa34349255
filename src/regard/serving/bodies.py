"""What a client sent, whichever way: JSON, a form, a form with files, or the query string; then checked by type."""

import re
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from typing import TypeVar
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel, ValidationError

from regard.json_text import JsonError, parse_json
from regard.serving.refusals import Refusal

MOST_FIELDS = 4096
MOST_PARTS = 64
Fields = dict[str, object]
Checked = TypeVar("Checked", bound=BaseModel)


@dataclass(frozen=True)
class SentFile:
    """A file of a form."""

    name: str
    content: bytes


async def read_fields(request: Request) -> Fields:
    """The fields of a request; those of the body stand before those of the query string. A name that comes several
    times has a list."""
    fields = form_fields(request.url.query)
    body = await request.body()
    if not body.strip():
        return fields
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return fields | form_fields(decode(body))
    if kind == "multipart/form-data":
        return fields | part_fields(body, request.headers["content-type"])
    try:
        content = parse_json(body)
    except JsonError as problem:
        raise Refusal(400, f"body: {problem}") from None
    if not isinstance(content, dict):
        raise Refusal(400, "body: an object expected")
    return fields | content


def decode(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise Refusal(400, "body: UTF-8 expected") from None


def form_fields(text: str) -> Fields:
    """Fields as a form or an address has them."""
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError:
        raise Refusal(400, f"a form in UTF-8 with at most {MOST_FIELDS} fields expected") from None
    return with_lists([(name.removesuffix("[]"), value) for name, value in pairs])


def with_lists(pairs: list[tuple[str, object]]) -> Fields:
    values: dict[str, list[object]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return {name: list_of[0] if len(list_of) == 1 else list_of for name, list_of in values.items()}


def part_fields(body: bytes, content_type: str) -> Fields:
    """Fields as a form with files has them: RFC 7578."""
    boundary = parameter(content_type, "boundary")
    if boundary is None or not re.fullmatch(r"[ -~]{1,70}", boundary):
        raise Refusal(400, "body: a form with a boundary expected")
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
    if len(parts) - 2 > MOST_PARTS or len(parts) < 2 or not parts[-1].startswith(b"--"):
        raise Refusal(400, f"body: a whole form of at most {MOST_PARTS} parts expected")
    pairs: list[tuple[str, object]] = []
    for part in parts[1:-1]:
        head, separator, content = part.partition(b"\r\n\r\n")
        headers = HeaderParser().parsestr(head.decode("utf-8", "replace").lstrip("\r\n"))
        disposition = headers.get("content-disposition", "")
        name, file_name = parameter(disposition, "name"), parameter(disposition, "filename")
        if not separator or name is None:
            raise Refusal(400, "body: a part without a name")
        pairs.append((name, decode(content) if file_name is None else SentFile(file_name, content)))
    return with_lists(pairs)


def parameter(header: str, name: str) -> str | None:
    """A parameter of a header: `name` of `form-data; name="file"`."""
    message = Message()
    message["content-type"] = header
    value = message.get_param(name)
    return value if isinstance(value, str) else value[2] if isinstance(value, tuple) else None


def check_fields(kind: type[Checked], fields: Fields) -> Checked:
    """The fields, each of its type and in its range; in one line what is wrong with them."""
    try:
        return kind.model_validate(fields)
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"] if part != "str" and "[" not in str(part))
        line = f"{field}: {first['msg'][:1].lower()}{first['msg'][1:]}" if field else first["msg"]
        raise Refusal(400, line[:300], code="invalid_request") from None
