"""One process or several, which torchrun started: each takes its share of the batches."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist

from regard.errors import RegardError


@dataclass(frozen=True)
class World:
    """The processes of a run. The first one (`rank` 0) writes and speaks."""

    rank: int = 0
    size: int = 1
    device: torch.device = torch.device("cpu")

    @property
    def first(self) -> bool:
        return self.rank == 0

    def any(self, claim: bool) -> bool:
        """Whether it holds for one of the processes at least."""
        return claim if self.size == 1 else self.sums([float(claim)])[0] > 0

    def sums(self, numbers: Sequence[float]) -> list[float]:
        """Each number added up over all processes; the same bits everywhere."""
        if self.size == 1:
            return list(numbers)
        together = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        dist.all_reduce(together)
        return together.tolist()

    def wait(self) -> None:
        """Until all processes are here."""
        if self.size > 1:
            dist.barrier()


@contextmanager
def joined(device: str = "cpu") -> Iterator[World]:
    """The processes that torchrun started together, if it did: gloo on processors, nccl on CUDA."""
    size, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    if size == 1:
        yield World(device=torch.device(device))
        return
    if not dist.is_available():
        raise RegardError("this torch was built without torch.distributed: train in one process")
    place = torch.device(device)
    if place.type == "cuda":
        place = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(place)
    dist.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield World(rank, size, place)
    finally:
        dist.destroy_process_group()
