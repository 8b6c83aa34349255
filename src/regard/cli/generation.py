"""What the commands that write text share: how to search or draw, where from and where to."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from regard.cli.begun import begun, current_options
from regard.cli.processes import Answer, AnsweredChunk, Prepare, Report, in_processes, in_threads
from regard.cli.renamed import Command, renamed
from regard.cli.streams import open_output
from regard.cli.texts import ChunkProgress, Lines, TextChunk, progress, read_texts
from regard.cli.values import BEAMS, FILE, PENALTY, PRECISIONS, SEEDS, SHARE, TEMPERATURE, TOP_P, count

if TYPE_CHECKING:
    from regard.tasks.processors.generate import Generation
    from regard.tasks.translation import Translation

Options = dict[str, Any]
"""What click made of the options of a command."""
SAMPLING = ("temperature", "top_k", "top_p", "min_p")
OPTIONS = (
    click.option("--input", "source", type=FILE, metavar="FILE", help="Read lines from here (.gz and .xz, too)."),
    click.option("--output", "target", type=FILE, metavar="FILE", help="Write to here (.gz and .xz, too)."),
    click.option("--beam", type=BEAMS, help="Texts that a search keeps.  [default: as the model says]"),
    click.option("--num-hypotheses", type=BEAMS, default=1, help="Answers for each text: number, score, text."),
    click.option("--length-penalty", type=PENALTY, help="Above 1 for longer answers.  [default: as the model says]"),
    click.option("--min-new-tokens", type=count(least=0), help="Tokens to write at least."),
    click.option("--max-new-tokens", type=count(), help="Tokens to write at most.  [default: as the model says]"),
    click.option("--sample", is_flag=True, help="Draw tokens by lot; so do the next four options."),
    click.option("--temperature", type=TEMPERATURE, help="Below 1 sharper, above 1 more level."),
    click.option("--top-k", type=count(1 << 31, least=0), help="Draw among so many tokens; 0 for all."),
    click.option("--top-p", type=TOP_P, help="Draw among those with this share."),
    click.option("--min-p", type=SHARE, help="Leave out those with less of the best's share."),
    click.option("--seed", type=SEEDS, help="Another number draws another text.  [default: 0]"),
    click.option(
        "--precision",
        type=PRECISIONS,
        default="float32",
        help="Of the weights: faster, less exact.",
    ),
    click.option("--edit", "edits", type=FILE, metavar="FILE", help="JSON that edits of attention were saved as."),
    renamed("--nbest", "--num-hypotheses"),
    renamed("--min-length", "--min-new-tokens"),
    renamed("--max-length", "--max-new-tokens"),
)


def generation_options(command: Command) -> Command:
    """The options of every command that writes."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


Shown = Callable[[Any, int], Iterable[str]]
"""The lines that are written for an answer and its number."""
AnswerChunks = Callable[[Iterable[TextChunk], Prepare], Iterable[AnsweredChunk]]
"""Has chunks answered in parallel, and gives them in their order."""


@dataclass(frozen=True)
class Preparation:
    """How to get what answers chunks of texts: it can be sent to another process, if what shows answers can."""

    task: str
    model: str
    device: str
    options: Options
    shown: Shown
    edits: str | None = None

    def __call__(self) -> Answer:
        return partial(self.answer, self.load())

    def load(self) -> Any:
        from regard.tasks.loading import load

        model = load(self.model, device=self.device, task=self.task)
        if self.edits:
            from regard.looking import edit

            edits, command = edit(model.model, self.edits), click.get_current_context(silent=True)
            edits.__enter__() if command is None else command.with_resource(edits)  # to the end of process or command
        model([], **self.options)  # what cannot be meant is said, also where there is no text
        return model

    def answer(self, model: Any, chunk: TextChunk, report: Report | None = None) -> AnsweredChunk:
        answers = model(chunk.texts, first=chunk.first, progress=report, **self.options)
        numbered = list(enumerate(answers, chunk.first))
        warnings = [
            f"{number}: {warning}" for number, answer in numbered for warning in getattr(answer, "warnings", ())
        ]
        return AnsweredChunk(
            chunk, [line for number, answer in numbered for line in self.shown(answer, number)], warnings
        )


def answer_all(
    task: str, options: Options, shown: Shown, *, is_numbered: bool = False, answer_chunks: AnswerChunks | None = None
) -> None:
    """Answer every text and write what is shown of each answer and its number, in order, as soon as it is there. With
    `resume`, after what is in the output already; in several `processes`, if that is asked for, or by whoever
    `answer_chunks` has answer."""
    texts, source, target, edits = (options.pop(name) for name in ("texts", "source", "target", "edits"))
    resume, processes = options.pop("resume", None), options.pop("processes", 1)
    if source and target and os.path.exists(target) and os.path.samefile(source, target):
        raise click.UsageError("--input and --output are the same file")
    if resume and not target:
        raise click.UsageError("--resume needs --output FILE, which is written on")
    lines = read_texts(texts, source, whole=bool(options.get("markup")))
    point, chunks = None, lines
    if resume:
        from regard.cli.resume import resume_point, skip_texts

        point = resume_point(target, is_numbered=is_numbered)
        chunks = skip_texts(lines, point.texts, target)
    model, device = options.pop("model"), options.pop("device")
    prepare = Preparation(task, model, device, sampling_options(options), shown, edits)
    where = f"{source}:" if source else "text " if texts else "line "
    serves = answer_chunks or (partial(in_processes, count=processes) if processes > 1 else None)
    loaded = prepare.load() if serves is None else None
    with (
        begun(None if resume is None else target, current_options(), resume=bool(resume)),
        open_output(target, None if point is None else point.bytes) as write,
        progress(lines.total, bool(target)) as bar,
        ExitStack() as ends,
    ):
        chunk_progress = ChunkProgress(bar)
        if serves is not None:
            answered = serves(chunks, prepare)
        elif (threads := threads_for(loaded, lines, edits)) > 1:
            run = in_threads(chunks, partial(prepare.answer, loaded), chunk_progress.over, threads)
            answered = ends.enter_context(closing(run))  # an error, or whoever closes the pipe, ends the work, too
        else:
            answered = (prepare.answer(loaded, chunk, chunk_progress.over(chunk)) for chunk in chunks)
        for one in answered:
            write(one.lines)
            for warning in one.warnings:
                click.echo(f"warning: {where}{warning}", err=True)
            if serves is not None and (report := chunk_progress.over(one.chunk)) is not None:
                report(len(one.chunk.texts))


def threads_for(model: Any, lines: object, edits: str | None) -> int:
    """How many chunks are answered at a time: as many as the engine has threads, where it has all weights and the next
    lines are there. Who writes into a pipe is answered line by line, and edits are of one thread."""
    from regard.engine.threads import thread_count

    is_file = isinstance(lines, Lines) and lines.total > 0
    return thread_count() if is_file and edits is None and getattr(model, "folder_model", None) is not None else 1


def sampling_options(options: Options) -> Options:
    """The options as a task takes them."""
    sampling = {name: options[name] for name in SAMPLING if options[name] is not None}
    rest = {name: value for name, value in options.items() if name not in SAMPLING}
    return rest | {"sample": sampling or options["sample"] or None}


def on_one_line(text: str) -> str:
    """The text without line breaks: a line in is a line out."""
    return " ".join(text.splitlines())


def as_rows(best: "Translation | Generation", number: int, texts: Iterable[str], num_hypotheses: int) -> Iterator[str]:
    """An answer, or the number of its text, score and text of several."""
    for answer, text in zip((best, *best.alternatives), texts, strict=True):
        yield text if num_hypotheses == 1 else f"{number}\t{answer.rank_score:.4f}\t{text}"
