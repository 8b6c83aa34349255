"""Parameters that several routes take."""

from typing import Annotated, Any

from fastapi import Path, Query

Name = Annotated[str, Path(max_length=64)]
LayerName = Annotated[str, Query(max_length=200)]
Number = Annotated[int, Query(ge=0, lt=2**31)]
BINARY: dict[str, Any] = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
