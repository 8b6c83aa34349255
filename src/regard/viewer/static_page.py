"""The built page: files that were there when the server started, by their exact names."""

from collections.abc import Awaitable, Callable
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import FastAPI
from fastapi.responses import Response

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".webmanifest": "application/manifest+json",
}
FOR_EVER = {"cache-control": "private, max-age=31536000, immutable"}


def serve_page(app: FastAPI) -> None:
    """A route for each file, and `/` for the page itself."""
    bodies: dict[str, tuple[bytes, str]] = {}

    def collect(folder: Traversable, prefix: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                collect(entry, f"{prefix}{entry.name}/")
            elif (media_type := MEDIA_TYPES.get(f".{entry.name.rpartition('.')[2]}")) is not None:
                bodies[prefix + entry.name] = (entry.read_bytes(), media_type)

    static = files("regard.viewer") / "static"
    if static.is_dir():
        collect(static, "")

    def page(path: str) -> Callable[[], Awaitable[Response]]:
        async def send() -> Response:
            body, media_type = bodies[path]
            caching = FOR_EVER if path.startswith("assets/") else {"cache-control": "no-cache"}
            return Response(body, headers={"content-type": media_type, **caching})

        return send

    for path in bodies:
        app.get(f"/{path}", include_in_schema=False)(page(path))
    if "index.html" in bodies:
        app.get("/", include_in_schema=False)(page("index.html"))
