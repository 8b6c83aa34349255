"""Damaged folders, tried in a process of their own: what hangs or crashes is found like what raises."""

import json
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType

import torch
from checkpoints.damage.cases import Case, make_case
from checkpoints.damage.sound import sound_folders

import regard
from regard.checkpoints import load_model
from regard.errors import RegardError
from regard.models import SpeechTransformer
from regard.tasks.listing import describe

SECONDS = 10  # of a case
MEMORY = 8 << 30  # bytes of addresses
LONGEST = 1500  # letters of a message


@dataclass(frozen=True)
class Outcome:
    """What came of a case: "answered" or "refused" where all is well, else the fault."""

    seed: int
    name: str
    damage: str
    is_bad: bool
    result: str

    @property
    def fault(self) -> str:
        if self.result == "answered" and self.is_bad:
            return "answered, though it cannot be right"
        return "" if self.result in ("answered", "refused") else self.result


class TooSlow(BaseException):
    """A case took longer than its time; no `except Exception` swallows it."""


def interrupt(signum: int, frame: FrameType | None) -> None:
    raise TooSlow


def ask(folder: Path, does: str) -> None:
    """Load a model, list it, and have it do what it is for."""
    describe("x", folder, "folder")
    if does == "look":
        model = load_model(folder).model
        if isinstance(model, SpeechTransformer):
            model(torch.zeros(1, model.config.encoder.features, 4), torch.zeros(1, 2, dtype=torch.long))
        else:
            model(torch.zeros(1, model.config.size, model.config.size))
        return
    task = regard.load(folder)
    match task.name:
        case "fill":
            task(f"the dog {task.processor.mask} .")
        case "answer":
            task("the dog sleeps . the cat is a dog .", "where is the dog ?")
        case "generate" | "translate":
            task(["the dog", "where is the cat ?"], max_new_tokens=4)
        case _:
            task(["the dog sleeps .", ("a cat", "the dog")])


def result_of(case: Case, folder: Path) -> str:
    case.write(folder)
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        ask(folder, case.does)
        return "answered"
    except RegardError as problem:
        line = str(problem)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if "\n" in line or len(line) > LONGEST + 2 * len(str(folder)):
            return f"a message of {len(line)} letters: {line[:200]!r}"
        return "refused"
    except TooSlow:
        return f"more than {SECONDS} s"
    except BaseException as problem:  # whatever else is the fault that is looked for
        where = problem.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        place = f"{Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno}" if where else ""
        return f"{type(problem).__name__}: {str(problem)[:200]!r} at {place}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def work(seeds: list[int], beside: Path, results: Connection) -> None:
    """Try some cases one after the other; told before each which it is."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())  # what the packages say while they break
    for seed in seeds:
        case = make_case(seed, sound_folders(beside))
        results.send(Outcome(seed, case.name, case.damage, case.is_bad, "the process ended"))
        folder = Path(tempfile.mkdtemp(dir=beside))
        result = result_of(case, folder)
        shutil.rmtree(folder)
        results.send(Outcome(seed, case.name, case.damage, case.is_bad, result))


def outcomes(seeds: Iterable[int], beside: Path) -> Iterator[Outcome]:
    """What came of each case. A process that ends is followed by another, which goes on behind the case it ended in."""
    sound_folders(beside)
    waiting, context = list(seeds), multiprocessing.get_context("fork")
    while waiting:
        receiver, sender = context.Pipe(duplex=False)
        worker = context.Process(target=work, args=(waiting, beside, sender))
        worker.start()
        sender.close()
        last: Outcome | None = None
        try:
            while waiting:
                if not receiver.poll(3 * SECONDS):
                    break
                begun = receiver.recv()
                last = begun
                if not receiver.poll(3 * SECONDS):
                    break
                last = receiver.recv()
                waiting.pop(0)
                yield last
                last = None
        except EOFError:
            pass
        worker.kill()
        worker.join()
        if waiting:
            yield last or Outcome(waiting[0], "", "", False, "the process ended at once")
            waiting.pop(0)


def report(outcome: Outcome) -> str:
    return json.dumps([outcome.seed, outcome.name, outcome.damage, outcome.fault])
