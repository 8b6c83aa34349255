"""Several processes that answer at one port: a parent that opens it, starts them, and stops them gracefully.

The parent opens a socket for each worker, all at one port: the system spreads connections over them (SO_REUSEPORT). It
keeps them open, so that whoever asks while a worker is started anew after a crash waits, and is not refused. Where
the system does not spread, all workers share one socket. What is remembered between requests lies in a folder that goes
with the service.
"""

import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import TYPE_CHECKING

from regard.engine.threads import default_thread_count
from regard.errors import RegardError
from regard.parent_process import end_with_parent
from regard.serving.entries import folder_entries
from regard.serving.keys import Keys
from regard.viewer.guard import ServerAddress
from regard.viewer.launcher import open_socket

if TYPE_CHECKING:
    from regard.serving.launcher import OnStart, ServiceOptions

SPREADS = sys.platform == "linux"  # whether the system spreads connections over sockets at one port
FAILURES = 3  # workers in a row that ended before they answered


def serve_in_workers(options: "ServiceOptions", keys: Keys, address: ServerAddress, on_start: "OnStart") -> None:
    """Serve with `options.workers` processes until Ctrl-C or SIGTERM, and let all finish what was begun."""
    threads = options.threads or max(1, default_thread_count() // options.workers)
    sockets = open_sockets(options.host, options.port, options.workers)
    with TemporaryDirectory(prefix="regard-serve-") as folder:
        workers = Workers(replace(options, threads=threads), keys, address, sockets, Path(folder))
        try:
            workers.run(on_start)
        finally:
            for listener in set(sockets):
                listener.close()


def open_sockets(host: str, port: int, count: int) -> list[socket.socket]:
    """A socket for each worker, or the same for all; nobody else may be at the port."""
    first = open_socket(host, port)
    if not SPREADS:
        return [first] * count
    first.close()  # it was free, and now every socket has to say that others may come
    sockets = []
    for _ in range(count):
        listener = socket.socket(first.family, socket.SOCK_STREAM)
        sockets.append(listener)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((host, port))
        listener.listen(128)
    return sockets


class Workers:
    """The processes of a service, and what becomes of them."""

    def __init__(
        self,
        options: "ServiceOptions",
        keys: Keys,
        address: ServerAddress,
        sockets: Sequence[socket.socket],
        folder: Path,
    ) -> None:
        self.options = options
        self.keys = keys
        self.address = address
        self.sockets = sockets
        self.folder = folder
        self.context: SpawnContext = multiprocessing.get_context("spawn")
        self.processes: list[BaseProcess] = []
        self.pipes: list[Connection | None] = []  # each says once that its worker answers
        self.started: dict[int, tuple[str, list[str]]] = {}
        self.is_stopping: bool = False
        self.failures: int = 0

    def run(self, on_start: "OnStart") -> None:
        handlers = {number: signal.signal(number, self.stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            for number in range(len(self.sockets)):
                self.start(number)
            while not self.is_stopping:
                pipes = [pipe for pipe in self.pipes if pipe is not None]
                wait([*pipes, *(process.sentinel for process in self.processes)], timeout=1.0)
                had_started = len(self.started)
                self.listen()
                if had_started < len(self.started) == len(self.sockets):
                    on_start(*self.started[0])
                self.replace_dead()
        finally:
            self.stop()
            for process in self.processes:
                process.join()
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def start(self, number: int) -> None:
        """Start a worker, or one in the place of another."""
        receiver, sender = self.context.Pipe(duplex=False)
        process = self.context.Process(
            target=work,
            args=(self.options, self.keys, self.address, self.sockets[number], self.folder, number, sender),
            name=f"regard-worker-{number}",
        )
        process.start()
        sender.close()
        if number == len(self.processes):
            self.processes.append(process)
            self.pipes.append(receiver)
        else:
            self.processes[number], self.pipes[number] = process, receiver

    def listen(self) -> None:
        """Hear which workers answer now, and why one does not."""
        for number, pipe in enumerate(self.pipes):
            if pipe is None or not pipe.poll():
                continue
            try:
                message = pipe.recv()
            except EOFError:  # it has said all that it will
                pipe.close()
                self.pipes[number] = None
                continue
            if isinstance(message, RegardError):
                raise message
            self.started[number] = message
            self.failures = 0

    def replace_dead(self) -> None:
        """A worker that died is started anew, unless none can be."""
        for number, process in enumerate(self.processes):
            if process.exitcode is None or self.is_stopping:
                continue
            self.failures += 1
            if self.failures >= FAILURES or number not in self.started:
                raise RegardError(f"a worker ended with code {process.exitcode} before it answered")
            self.start(number)

    def stop(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Tell all to finish what they have begun."""
        self.is_stopping = True
        for process in self.processes:
            if process.exitcode is None and process.pid is not None:
                os.kill(process.pid, signal.SIGTERM)


def work(
    options: "ServiceOptions",
    keys: Keys,
    address: ServerAddress,
    listener: socket.socket,
    folder: Path,
    number: int,
    pipe: Connection,
) -> None:
    """What a worker does: it answers until it is told to stop, or its parent is gone."""
    from regard.serving.launcher import run

    end_with_parent()
    try:
        run(
            options,
            keys,
            address,
            listener,
            lambda url, names: pipe.send((url, list(names))),
            entries=folder_entries(folder),
            worker=number,
        )
    except RegardError as problem:
        pipe.send(RegardError(str(problem)))
    finally:
        pipe.close()
