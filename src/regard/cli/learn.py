"""`regard learn`: the ideas of attention, one after the other, in the browser."""

import click

from regard.cli.see import serve_page, server_options


@click.command(context_settings={"show_default": True})
@click.argument("topic", default="")
@server_options
def learn(
    topic: str,
    port: int | None,
    host: str,
    token: str | None,
    device: str | None,
    browser: bool,
    as_json: bool,
) -> None:
    """Learn what attention is, in the browser: each idea with numbers that you can change.

    TOPIC is where to begin: match, softmax, dictionary, matrix, heads, animal, order, masks, residual, norm, cross,
    forcing, graph, dense, convolution, alignment, memory, segments. docs/topics.md lists them with the pages that work
    each one through. The server answers this machine only, and needs no network; Ctrl-C stops it.

    \b
    regard learn
    regard learn heads
    """
    view = "learn"
    if topic:
        from regard.errors import lookup
        from regard.viewer.learn import LESSONS

        lookup(LESSONS, topic, "topic")
        view = f"learn?topic={topic}"
    serve_page("", (), view, host, port, token, device, browser=browser, as_json=as_json)
