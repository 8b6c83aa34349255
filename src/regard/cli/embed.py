"""`regard embed`: vectors for texts."""

import json

import click

from regard.cli.texts import ChunkProgress, progress, read_texts, text_options


@click.command(context_settings={"show_default": True})
@text_options(None)
@click.option("--compare", is_flag=True, help="Print how like the first text each other one is, from -1 to 1.")
@click.option("--cut", is_flag=True, help="Read only the beginning of a text that is too long.")
def embed(texts: tuple[str, ...], model: str, device: str, as_json: bool, compare: bool, cut: bool) -> None:
    """Turn texts into vectors: texts that mean the same lie close together.

    Prints the numbers of a vector on a line, with tabs between them. Texts are arguments or lines on standard input.

    \b
    regard embed --model sentence-transformers/all-MiniLM-L6-v2 --compare "A man eats." "Someone has a meal."
    regard embed --model my-folder --json < lines.txt
    """
    source = read_texts(texts)
    from regard.tasks import load

    task = load(model, device=device, task="embed")
    first = None
    with progress(source.total) as bar:
        along = ChunkProgress(bar)
        for chunk in source:
            answers = task(chunk.texts, cut=cut, first=chunk.first, progress=along.over(chunk))
            first = first or answers[0]
            for text, answer in zip(chunk.texts, answers, strict=True):
                alike = first.similarity(answer) if compare else None
                if as_json:
                    shown = {"text": text, "tokens": answer.tokens, "vector": answer.vector.tolist()}
                    click.echo(json.dumps(shown | ({} if alike is None else {"similarity": alike}), ensure_ascii=False))
                elif alike is not None:
                    click.echo(f"{alike:.4f}\t{text}")
                else:
                    click.echo("\t".join(f"{number:.6g}" for number in answer.vector.tolist()))
