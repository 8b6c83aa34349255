"""Command lines that nobody would type, drawn from what each command says it takes, and how they are run.

Every value is drawn with what is known of it: `is_bad` where no command could do anything with it, so that a command
line that holds one must end with an error.
"""

import gzip
import json
import lzma
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
from tasks.tiny import bert, gpt2
from training.tiny import tiny

from regard.cli.main import COMMANDS, Commands, main
from regard.cli.values import NamedPath
from regard.training import train

OUTPUTS = {"target", "output", "save", "hypotheses", "out"}
PICTURES = {"circuits", "diff", "heads", "lens", "answer"}
SECONDS, WALL_SECONDS = 10, 120  # of the processor, after which a command hangs; and by the clock, on a busy machine
TEXTS = [
    "the dog sleeps .", "where is the station ?", "a [MASK] film", "", " ", "\t", "a\tb", "Ω≈ç√∫ 𝔘𝔫𝔦 😀", "שלום עולם",
    "\x1b[31mred\x07", "a" * 3000, "the " * 400, "{}", "null", "-", "'; --", "%s%n", "../../etc", "\udcff\udcfe",
    "<b>the dog", "</i><p>&amp;&#0;", "e\u0301\u200b\ufeff",
]  # fmt: skip
WORDS = [
    "",
    " ",
    "x" * 300,
    "decoder.0.self:0",
    "decoder.9.cross:99",
    ":",
    "0:0",
    "*",
    "fra",
    ">>fra<<",
    "\udcff",
    "a\nb",
]
NO_NUMBERS = ["", " ", "x", "nan", "inf", "-inf", "1e999", "0x10", "9" * 400, "1,5", "None", "\udcff"]
NO_DEVICES = ["", ":", "cuda:99", "meta", "nothing", "cpu:x", "cpu:-1", "cuda", "\udcff", "x" * 300]


class Value(NamedTuple):
    """Something to type."""

    text: str
    is_bad: bool = False


@dataclass(frozen=True)
class Line:
    """A command line, what stands on its standard input, and where its output goes."""

    arguments: tuple[str, ...]
    stdin: Path
    stdout: str
    is_bad: bool


@dataclass(frozen=True)
class Outcome:
    """How it ended: the exit code (below 0: killed by this signal), what it said, and an exception that escaped."""

    code: int
    stderr: str
    escaped: str = ""


class Inventory:
    """Files, folders and models to name, made once."""

    def __init__(self, home: Path) -> None:
        self.home, self.files = home, home / "files"
        self.files.mkdir(parents=True)
        labels = {"id2label": {0: "bad", 1: "good"}, "label2id": {"bad": 0, "good": 1}}
        models = home / "models"
        bert("ForMaskedLM", models / "fill")
        bert("ForSequenceClassification", models / "classify", **labels)
        bert("ForTokenClassification", models / "tags", **labels)
        bert("Model", models / "embed")
        gpt2(models / "generate")
        (home / "training").mkdir()
        shutil.copytree(train(tiny(home / "training")), models / "translate")
        self.models = {path.name: path for path in models.iterdir()}
        self.broken_models = self.break_models(home / "broken")
        self.run = home / "training" / "run"
        self.recipe = home / "training" / "recipe.toml"
        self.good, self.poor, self.bad = self.write_files()

    def break_models(self, home: Path) -> list[Path]:
        """A model without its weights, one cut short, one whose config is none, an empty folder."""
        for name in ("none", "cut", "config"):
            shutil.copytree(self.models["translate"], home / name)
        (home / "none" / "model.safetensors").unlink()
        weights = home / "cut" / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-100])
        (home / "config" / "config.json").write_text('{"model_type": 7}')
        (home / "empty").mkdir()
        return sorted(home.iterdir())

    def write_files(self) -> tuple[list[Path], list[Path], list[Path]]:
        """Files that can be used, files that may be refused, and files that nobody can read as text."""
        lines = "the dog sleeps .\nwhere is the station ?\n\na cat\n"
        good = {
            "lines.txt": lines.encode(), "pairs.tsv": b"the dog\tDER HUND\na cat\tEINE KATZE\n",
            "labels.tsv": b"a good film\tgood\na bad film\tbad\n", "packed.gz": gzip.compress(lines.encode()),
            "packed.xz": lzma.compress(lines.encode()), "crlf.txt": b"the dog\r\na cat\r\n",
        }  # fmt: skip
        poor = {
            "empty.txt": b"", "long.txt": b"the dog " * 12_500, "bom.txt": b"\xef\xbb\xbfthe dog\n",
            "blank.txt": b"\n" * 9,
            "edits.json": json.dumps({"edits": []}).encode(), "deep.json": b"[" * 90_000, "x.toml": b"run = 7\n",
        }  # fmt: skip
        bad = {
            "latin.txt": "Mädchen\n".encode("latin-1"), "binary.bin": bytes(range(256)) * 9,
            "cut.xz": lzma.compress(lines.encode() * 99)[:-40], "cut.gz": gzip.compress(lines.encode() * 99)[:-30],
            "none.xz": b"no archive", "none.gz": b"no archive",
        }  # fmt: skip
        damaged = bytearray(gzip.compress(os.urandom(4000)))
        damaged[2000:2040] = bytes(40)
        bad["damaged.gz"] = bytes(damaged)
        for name, content in (good | poor | bad).items():
            (self.files / name).write_bytes(content)
        return tuple([self.files / name for name in some] for some in (good, poor, bad))


class CommandLines:
    """Draws command lines; the same seed draws the same."""

    def __init__(self, inventory: Inventory, seed: int) -> None:
        self.inventory, self.draw = inventory, random.Random(seed)
        context = click.Context(click.Command("regard"))
        self.commands = {name: Commands().get_command(context, name) for name in COMMANDS}
        self.count = 0

    def line(self) -> Line:
        """One command line; most hold a value that is bad."""
        self.count += 1
        name = self.draw.choice(sorted(self.commands))
        command = self.commands[name]
        arguments: list[Value] = []
        for parameter in command.params:
            arguments += self.values(name, parameter)
        if name in ("see", "learn", "serve", "bench"):  # these would go on for a while
            arguments += [Value("--batch" if name == "bench" else "--port"), Value("none", is_bad=True)]
        stdin = self.draw.choice([*self.inventory.good, *self.inventory.poor, *self.inventory.bad])
        stdout = self.draw.choice(["", "", "", "", "", "/dev/full"])
        bad = [value.text for value in arguments if value.is_bad]
        is_bad = bool(bad) and not (
            set(bad) == {"/dev/full"} and stdin.name == "empty.txt"
        )  # nothing to write fits there
        return Line((name, *(value.text for value in arguments)), stdin, stdout, is_bad)

    def values(self, name: str, parameter: click.Parameter) -> list[Value]:
        """What is typed for one option or argument; often nothing."""
        if isinstance(parameter, click.Argument):
            count = self.draw.choice([1, 1, 1, 2, 3]) if parameter.nargs < 0 else 1
            if not parameter.required and self.draw.random() < 0.3:
                return []
            return [self.value(name, parameter) for _ in range(count)]
        assert isinstance(parameter, click.Option)
        if not (parameter.required or self.draw.random() < (0.6 if parameter.name == "model" else 0.15)):
            return []
        if parameter.name in ("clear", "yes"):
            return []  # would clear what the machine keeps
        spelling = Value(self.draw.choice([*parameter.opts, *parameter.secondary_opts]))
        if parameter.is_flag:
            return [spelling]
        return [spelling, self.value(name, parameter)]

    def value(self, name: str, parameter: click.Parameter) -> Value:
        kind = parameter.type
        if isinstance(kind, click.Choice):
            return self.one_of(kind.choices, ["", "nothing", "Float32", "\udcff"])
        if isinstance(kind, click.IntRange):
            low = kind.min or 0
            outside = [str(low - 1), str((kind.max or 0) + 1), "1.5", "-" + "9" * 30, *NO_NUMBERS]
            return self.one_of([str(low), str(low + 1), str(min(low + 3, kind.max or 3))], outside)
        if isinstance(kind, click.FloatRange):
            outside = [str(bound + step) for bound, step in ((kind.min, -1), (kind.max, 1)) if bound is not None]
            return self.one_of(["0.5", "1"] if kind.max else ["1.5", "2"], [*outside, *NO_NUMBERS])
        if isinstance(kind, NamedPath):
            return self.path(name, parameter, kind)
        if parameter.name in ("model", "models", "reverse", "other", "source"):
            return self.model(name)
        if parameter.name == "device":
            return self.one_of(["cpu"], NO_DEVICES)
        if parameter.name == "changes":
            return Value(
                self.draw.choice(["", "=", "train.steps", "train.steps=x", "a.b.c=1", "train.steps=[", "\udcff=1"])
            )
        return Value(self.draw.choice([*TEXTS, *WORDS]))

    def one_of(self, good: list[str] | tuple[str, ...], bad: list[str]) -> Value:
        return Value(self.draw.choice(bad), True) if self.draw.random() < 0.4 else Value(self.draw.choice(list(good)))

    def model(self, name: str) -> Value:
        """A model; where it is the right one for the command, one that works."""
        broken = [
            *map(str, self.inventory.broken_models),
            "",
            "nothing-here",
            "x" * 300,
            "a\nb",
            "../..",
            "\udcff",
            "/",
        ]
        fitting = self.inventory.models.get(name)
        return self.one_of([str(fitting)] * 5 if fitting else [*map(str, self.inventory.models.values())], broken)

    def path(self, name: str, parameter: click.Parameter, kind: NamedPath) -> Value:
        files = self.inventory.files
        if name == "convert":
            return self.one_of([str(files.parent / "out" / str(self.count))], ["", str(files / "lines.txt" / "x")])
        if parameter.name in OUTPUTS:
            ending = self.draw.choice([".svg", ".html", ".txt", ".png"])
            fresh = files.parent / "out" / f"{self.count}{ending if kind.file_okay else ''}"
            fresh.parent.mkdir(exist_ok=True)
            bad = ["", str(files / "lines.txt" / "x.svg"), str(files / ("x" * 300 + ".svg"))]
            bad += [str(files), str(files / "no" / "x.svg"), "/dev/full"] if kind.file_okay else []
            if name in PICTURES:  # nothing is drawn where the command has nothing to draw
                return Value(self.draw.choice([str(fresh), *bad]), False)
            return self.one_of([str(fresh)], bad)
        if parameter.name == "recipe":
            return self.one_of(
                [str(self.inventory.recipe)], ["", str(files), str(files / "none.toml"), *map(str, self.inventory.bad)]
            )
        if parameter.name == "runs":
            return self.one_of([str(self.inventory.run)], ["", str(files / "lines.txt"), str(files / "no")])
        good = [*self.inventory.good, *self.inventory.poor]
        return self.one_of(
            [str(path) for path in good], ["", str(files / "none"), str(files), *map(str, self.inventory.bad)]
        )


def run_forked(lines: list[Line], home: Path, each: int = 20) -> list[Outcome]:
    """Run command lines in children of this process, which has torch already, a few in each."""
    outcomes: list[Outcome] = []
    while len(outcomes) < len(lines):
        report, pid = home / "report", 0
        report.write_text("")
        some = lines[len(outcomes) : len(outcomes) + each]
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            run_here(some, home, report)
        _, status = os.waitpid(pid, 0)
        reports = [json.loads(row) for row in report.read_text().splitlines()]
        outcomes += [Outcome(**row) for row in reports]
        if len(reports) < len(some):  # the next one ended the process
            code = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
            outcomes.append(Outcome(code, (home / "stderr").read_text(errors="replace"), "the process ended"))
    return outcomes


def run_here(lines: list[Line], home: Path, report: Path) -> None:
    """Run command lines one after another and leave; each has so much time, or the process is killed."""
    os.chdir(home)
    socket.setdefaulttimeout(1)
    with report.open("a") as rows:
        for line in lines:
            with line.stdin.open("rb") as stdin, open(home / "stderr", "wb") as stderr:
                stdout = open(line.stdout or home / "stdout", "wb")  # noqa: SIM115 - /dev/full does not like to be closed
                for stream, number in ((stdin, 0), (stdout, 1), (stderr, 2)):
                    os.dup2(stream.fileno(), number)
            sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
            sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)  # as Python opens it
            sys.argv = ["regard", *line.arguments]
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.alarm(WALL_SECONDS)
            code, escaped = 0, ""
            try:
                main()
            except SystemExit as leaving:
                code = leaving.code if isinstance(leaving.code, int) else 1
            except BaseException:
                code, escaped = 1, traceback.format_exc()
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
            sys.stderr.flush()
            stderr_text = (home / "stderr").read_text(errors="replace")
            rows.write(json.dumps({"code": code, "stderr": stderr_text, "escaped": escaped}) + "\n")
            rows.flush()
    os._exit(0)


def run_process(line: Line, home: Path) -> Outcome:
    """Run a command line as a shell would."""
    arguments = [argument.encode("utf-8", "surrogateescape") for argument in line.arguments]
    with line.stdin.open("rb") as stdin, open(line.stdout or home / "stdout", "wb") as stdout:
        command = [sys.executable, "-m", "regard", *arguments]
        try:
            ended = subprocess.run(
                command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, cwd=home, timeout=WALL_SECONDS
            )
        except subprocess.TimeoutExpired:
            return Outcome(-signal.SIGALRM, "")
    return Outcome(ended.returncode, ended.stderr.decode(errors="replace"))


def fault(line: Line, outcome: Outcome) -> str:
    """What is wrong with how a command line ended; nothing, if it is as it should be."""
    if outcome.code < 0:
        return "hangs" if -outcome.code in (signal.SIGPROF, signal.SIGALRM) else f"killed by signal {-outcome.code}"
    if outcome.escaped or "Traceback (most recent call last)" in outcome.stderr:
        return f"a traceback: {(outcome.escaped or outcome.stderr)[-1500:]}"
    if line.is_bad and outcome.code == 0:
        return "success, with a value that is bad"
    if outcome.code and not outcome.stderr.strip() and line.arguments[0] != "check":  # which prints what it found
        return f"exit code {outcome.code} without a word"
    return ""
