"""A contender in a process of its own, with the memory and the settings that its user would have."""

import multiprocessing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import torch

from parts.steps import ENTRANTS, Size


def serve(there: Connection, who: str, size: Size, threads: int) -> None:
    """Build the contender, say how large it is, then take a step whenever one is asked for."""
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    try:
        entrant = ENTRANTS[who](size)
    except ImportError as problem:
        there.send(problem)
        return
    there.send(entrant.weights)
    while there.recv():
        there.send(entrant.step())


@dataclass(frozen=True)
class Apart:
    """What is known here of a contender that is elsewhere."""

    process: Any
    line: Connection
    weights: int

    @classmethod
    def start(cls, who: str, size: Size) -> "Apart":
        """ImportError where the contender is not installed."""
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=serve, args=(there, who, size, torch.get_num_threads()), daemon=True)
        process.start()
        there.close()
        answer = here.recv()
        if isinstance(answer, ImportError):
            process.join()
            raise answer
        return cls(process, here, answer)

    def step(self) -> float:
        self.line.send(True)
        return self.line.recv()

    def stop(self) -> None:
        self.line.send(False)
        self.process.join()
