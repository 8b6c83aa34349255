"""`regard see`: the viewer, in the browser."""

import json
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from regard.errors import RegardError

if TYPE_CHECKING:
    from regard.viewer.state_file import PageState

P = ParamSpec("P")
R = TypeVar("R")


def server_options(command: Callable[P, R]) -> Callable[P, R]:
    """What every command takes that serves the page."""
    for option in reversed(
        [
            click.option(
                "--port", type=click.IntRange(1, 65535), help="Where to listen.  [default: 4747, or any that is free]"
            ),
            click.option(
                "--host", default="127.0.0.1", metavar="ADDRESS", help="Another address than this machine's own."
            ),
            click.option(
                "--token", metavar="WORD", help="What others have to know; needed with an address that they can reach."
            ),
            click.option("--device", metavar="NAME", help="Where models run, as in cuda or cuda:1."),
            click.option("--browser/--no-browser", default=True, help="Open the page."),
            click.option("--json", "as_json", is_flag=True, help="Print the address as a JSON object."),
        ]
    ):
        command = option(command)
    return command


@click.command(context_settings={"show_default": True})
@click.argument("text", default="")
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    metavar="NAME",
    help="A folder, a built-in name or a cached Hugging Face id; again for further folders to choose from.",
)
@server_options
def see(
    text: str,
    models: tuple[str, ...],
    port: int | None,
    host: str,
    token: str | None,
    device: str | None,
    browser: bool,
    as_json: bool,
) -> None:
    """Look inside a model in the browser: every head, at any length; change one, and watch the answer change.

    The server answers this machine only, and needs no network. The page is there at once, the model loads behind it.
    A file that the page saved, a state or a page to explore, opens where it was saved. The last tab, Learn, works the
    ideas through, from the dot product on; `regard learn` opens it. Ctrl-C stops it.

    \b
    regard see "To be, or not to be"
    regard see what-i-saw.regard.json
    regard see --model runs/en-de/model "Where is the station?"
    regard see --model my-bert --model my-gpt --port 8080 --no-browser
    regard see --host 0.0.0.0 --token "$(openssl rand -hex 16)"
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RegardError("the text is not UTF-8") from None
    from regard.viewer.state_file import is_state_file, read_state

    state = read_state(text) if is_state_file(text) else None
    serve_page(
        "" if state else text, models, "", host, port, token, device, browser=browser, as_json=as_json, state=state
    )


def serve_page(
    text: str,
    models: tuple[str, ...],
    view: str,
    host: str,
    port: int | None,
    token: str | None,
    device: str | None,
    *,
    browser: bool,
    as_json: bool,
    state: "PageState | None" = None,
) -> None:
    """Serve until Ctrl-C, and say where; `view` is what the address has behind its #, `state` that of a file."""
    from regard.viewer.launcher import serve

    def started(url: str, model: str | None) -> None:
        line = json.dumps({"url": url, "model": model}) if as_json else f"{url}  (Ctrl-C stops it)"
        click.echo(line)
        sys.stdout.flush()

    if not serve(
        text,
        models,
        view=view,
        state=state,
        host=host,
        port=port,
        token=token,
        device=device,
        open_browser=browser,
        on_start=started,
    ):
        os._exit(0)  # a kernel that nobody waits for any more would keep the program
