"""`regard serve`: a service that LibreTranslate's, DeepL's and OpenAI's clients speak."""

import json
import sys
from collections.abc import Sequence

import click

from regard.cli.values import FILE, count


@click.command(context_settings={"show_default": True})
@click.option(
    "--model",
    "-m",
    "models",
    multiple=True,
    metavar="NAME",
    help="A folder, a built-in name or a cached Hugging Face id; repeatable.  [default: en-de and de-en]",
)
@click.option("--port", type=click.IntRange(1, 65535), default=5000, help="Where to listen.")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Another address than this machine's own.")
@click.option(
    "--key-file", type=FILE, metavar="FILE", help="Keys, one a line; needed with an address that others can reach."
)
@click.option("--threads", type=count(1024), help="Threads of each model.  [default: as many as torch likes]")
@click.option(
    "--precision", type=click.Choice(["float32", "float16", "int8"]), default="float32", help="Of the weights."
)
@click.option(
    "--workers", type=count(256), default=1, help="Processes that answer at the same port, each with all models."
)
@click.option("--ray", "is_ray", is_flag=True, help="Deploy on a Ray cluster, with --workers replicas at most.")
@click.option("--json", "as_json", is_flag=True, help="Print the address and the models as a JSON object.")
def serve(
    models: tuple[str, ...],
    port: int,
    host: str,
    key_file: str | None,
    threads: int | None,
    precision: str,
    workers: int,
    is_ray: bool,
    as_json: bool,
) -> None:
    """Answer over HTTP: programs written for LibreTranslate, DeepL or OpenAI need no change but the address.

    Texts of all clients are written side by side, and each answer is what it would be alone. A field `attention` in a
    request brings word alignments, or the exact weights of any layer and head. A page to type in is at /. Ctrl-C or
    SIGTERM stops it, once what was begun is done. docs/serving.md has every address.

    \b
    regard serve
    curl -s 127.0.0.1:5000/translate -d q="Where is the station?" -d source=en -d target=de
    regard serve -m en-de -m my-folder --port 8080 --precision int8
    regard serve --host 0.0.0.0 --key-file keys.txt --workers 4
    """
    from regard.serving.launcher import BUILT_IN, ServiceOptions
    from regard.serving.launcher import serve as serve_models

    def started(url: str, names: Sequence[str]) -> None:
        line = (
            json.dumps({"url": url, "models": list(names)})
            if as_json
            else f"{url}  {', '.join(names)}  (Ctrl-C stops it)"
        )
        click.echo(line)
        sys.stdout.flush()

    options = ServiceOptions(
        models or BUILT_IN, host, port, key_file, threads, precision, workers=workers, is_ray=is_ray
    )
    serve_models(options, started)
