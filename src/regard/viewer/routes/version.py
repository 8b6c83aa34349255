"""A page asks in the version of the API that it was built for."""

from typing import Annotated

from fastapi import Header

from regard.errors import RegardError
from regard.viewer.payload import API_VERSION


async def check_version(x_regard_version: Annotated[int | None, Header()] = None) -> None:
    """Raise for a page of another version; whoever names none is answered in this one."""
    if x_regard_version not in (None, API_VERSION):
        raise RegardError(
            f"this page speaks version {x_regard_version} of the API, the server version {API_VERSION}: reload the page"
        )
