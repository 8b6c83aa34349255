"""The page where a person can type: files that came with the install."""

from collections.abc import Awaitable, Callable
from importlib.resources import files

from fastapi import FastAPI
from fastapi.responses import Response

from regard.viewer.static_page import MEDIA_TYPES

FILES = {
    "/": ("regard.serving", "index.html"),
    "/page.js": ("regard.serving", "page.js"),
    "/page.css": ("regard.serving", "page.css"),
    "/icon.svg": ("regard.viewer", "icon.svg"),
}
"""Where each address finds its file."""


def serve_page(app: FastAPI) -> None:
    """A route for each file."""

    def page(package: str, name: str) -> Callable[[], Awaitable[Response]]:
        body = (files(package) / "static" / name).read_bytes()
        headers = {"content-type": MEDIA_TYPES[f".{name.rpartition('.')[2]}"], "cache-control": "no-cache"}

        async def send() -> Response:
            return Response(body, headers=headers)

        return send

    for path, place in FILES.items():
        app.get(path, include_in_schema=False)(page(*place))
