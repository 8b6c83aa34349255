"""An error in the shape of the protocol that was spoken: one line, and never what happened inside."""

import logging
from collections.abc import Callable, Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from regard.errors import RegardError
from regard.serving.refusals import Refusal, status_of

LONGEST = 500  # letters of a line: what was sent may be in it


def libretranslate_error(status: int, line: str, code: str) -> dict[str, object]:
    return {"error": line}


def deepl_error(status: int, line: str, code: str) -> dict[str, object]:
    return {"message": line}


def openai_error(status: int, line: str, code: str) -> dict[str, object]:
    kind = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
    name = kind.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": line, "type": name, "param": None, "code": code or None}}


SHAPES: dict[str, Callable[[int, str, str], dict[str, object]]] = {
    "/v1/": openai_error,
    "/v2/": deepl_error,
    "/": libretranslate_error,
}
"""The shape of errors by how a path begins; the first that fits."""


def error_body(path: str, status: int, line: str, code: str = "") -> dict[str, object]:
    line = " ".join(line.split())
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    shape = next(shape for start, shape in SHAPES.items() if path.startswith(start))
    return shape(status, line, code)


def error_response(path: str, problem: RegardError) -> JSONResponse:
    """The answer that says what is wrong."""
    headers: Mapping[str, str] = {}
    if isinstance(problem, Refusal) and problem.seconds is not None:
        headers = {"retry-after": str(problem.seconds)}
    status, code = status_of(problem), getattr(problem, "code", "")
    return JSONResponse(error_body(path, status, str(problem), code), status, dict(headers))


def handle_errors(app: FastAPI) -> None:
    """Answer what routes raise."""

    @app.exception_handler(RegardError)
    async def refused(request: Request, problem: RegardError) -> JSONResponse:
        return error_response(request.url.path, problem)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        field = ".".join(str(part) for part in first["loc"][1:])
        return error_response(request.url.path, Refusal(400, f"{field}: {first['msg']}"))

    @app.exception_handler(HTTPException)
    async def http(request: Request, problem: HTTPException) -> JSONResponse:
        line = {404: "no such address", 405: "this address is asked in another way"}.get(problem.status_code)
        body = error_body(request.url.path, problem.status_code, line or str(problem.detail))
        return JSONResponse(body, problem.status_code, problem.headers)

    @app.exception_handler(Exception)
    async def failed(request: Request, problem: Exception) -> JSONResponse:
        logging.getLogger("regard").error("a request failed", exc_info=problem)
        return JSONResponse(error_body(request.url.path, 500, "the service failed at this; its log says how"), 500)
