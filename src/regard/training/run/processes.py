"""One process or several, which torchrun started: each takes its share of the batches."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

import torch
import torch.distributed as dist

from regard.checkpoints.device import check_device
from regard.errors import RegardError

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

PATIENCE = 30 * 60  # seconds that processes wait for one another, as torch.distributed does


class ProcessLost(RegardError):
    """Another process of the run has ended, and this one cannot go on alone."""


@dataclass(frozen=True)
class World:
    """The processes of a run. The first one (`rank` 0) writes and speaks."""

    rank: int = 0
    size: int = 1
    device: torch.device = torch.device("cpu")

    @property
    def is_first(self) -> bool:
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

    def from_first(self, number: int) -> int:
        """What the first process says."""
        return int(self.sums([number if self.is_first else 0])[0])

    def wait(self) -> None:
        """Until all processes are here."""
        if self.size > 1:
            dist.barrier()


@contextmanager
def join_processes(device: str = "cpu") -> Iterator[World]:
    """The processes that torchrun started together, if it did: gloo on processors, nccl on CUDA."""
    size, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    if size == 1:
        yield World(device=torch.device(check_device(device)))
        return
    if not dist.is_available():
        raise RegardError("this torch was built without torch.distributed: train in one process")
    from torch.distributed.distributed_c10d import PrefixStore
    from torch.distributed.rendezvous import rendezvous

    torch_device = torch.device(check_device(device))
    if torch_device.type == "cuda":
        torch_device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(torch_device)
    try:
        store, rank, size = next(rendezvous("env://"))
        here = PrefixStore(agreed_name(store, rank, size), store)
        dist.init_process_group(
            "nccl" if torch_device.type == "cuda" else "gloo", store=here, rank=rank, world_size=size
        )
        yield World(rank, size, torch_device)
    except RuntimeError as problem:
        if not (isinstance(problem, dist.DistError) or "gloo" in str(problem).lower()):
            raise
        raise ProcessLost(f"process {rank} of {size}: another process has ended; the same command goes on") from None
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def agreed_name(store: "Store", rank: int, size: int) -> str:
    """A name that the processes of this life of a run agree on, and that no life before had.

    torchrun keeps its store when it starts processes again, so that one may find the address of another that is dead
    (pytorch/pytorch#167288). Here each asks the first under a name of its own, which nobody can have answered before.
    """
    own_id = uuid4().hex
    if rank:
        store.set(f"asks/{rank}", own_id)
        wait_until(lambda: store.check([f"answer/{own_id}"]))
        name = store.get(f"answer/{own_id}").decode()
        store.add(f"{name}/met", 1)
        return name

    def answered() -> bool:
        for other in range(1, size):
            if store.check([f"asks/{other}"]):  # now, or in a life before: whoever that was does not mind
                store.set(f"answer/{store.get(f'asks/{other}').decode()}", own_id)
        return store.add(f"{own_id}/met", 0) == size - 1

    wait_until(answered)
    return own_id


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so; a signal is heard meanwhile."""
    until = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > until:
            raise ProcessLost("some of the processes never came")
        time.sleep(0.01)
