"""How much a service answers beside LibreTranslate, with the same weights: texts a second for 1, 8 and 64 clients, one
text or 64 in a request, and the slowest of a hundred answers.

    python -m venv /tmp/lt-venv && /tmp/lt-venv/bin/pip install torch==2.13.0 libretranslate tokenizers
    python bench/serving.py --libretranslate /tmp/lt-venv/bin/python
    python bench/serving.py --libretranslate /tmp/lt-venv/bin/python --aborts 1000 --minutes 10

The two are asked in turns, one round after the other; a ratio is of the same round, then the median and the range over
rounds. `--threads 2 --peer-threads 1` gives each what it is fastest with on two cores. LibreTranslate is AGPL: it is
installed outside of this tree, and only asked over HTTP. Without it, its loop over texts on CTranslate2 takes its
place, and the first line says so.

Every answer of ours is compared with what `regard.load` says to its text alone: `wrong` counts those that differ,
`lost` requests that were never answered. A request that is told to come back later is counted as refused, and its
client does. `--aborts` leaves so many requests before they are answered, and looks at what is left of them; `--minutes`
asks for so long, and looks at the memory.
"""

import argparse
import json
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

HERE = Path(__file__).resolve().parent
CLIENTS = (1, 8, 64)
LISTS = (1, 64)
MIB = 1 << 20


@dataclass
class Measured:
    """What came of some time of asking."""

    size: int
    times: list[float] = field(default_factory=list)
    took: float = 0.0
    wrong: int = 0
    lost: int = 0
    refused: int = 0

    @property
    def rate(self) -> float:
        return len(self.times) * self.size / self.took

    @property
    def p99(self) -> float:
        return statistics.quantiles(self.times, n=100)[98] if len(self.times) > 1 else max(self.times, default=0.0)


@contextmanager
def program(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """A program that is ended with the block."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def service(options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """`regard serve` as a program of its own: its address, and the number of its process."""
    command = [sys.executable, "-m", "regard", "serve", "--json", "-m", "en-de", "--port", str(options.port)]
    command += ["--precision", options.precision, "--workers", str(options.workers)]
    command += ["--threads", str(options.threads)] if options.threads else []
    with program(command) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"].rstrip("/"), process.pid


@contextmanager
def peer(options: argparse.Namespace, folder: Path) -> Iterator[str]:
    """LibreTranslate, or its loop, with the same weights."""
    convert = [sys.executable, "-m", "regard", "convert", "en-de", str(folder), "--to", "ctranslate2"]
    subprocess.run(convert, check=True, stdout=subprocess.DEVNULL)
    port = options.port + 1
    command = [str(HERE / "libretranslate_peer.py"), str(folder), str(port), str(options.peer_threads or 0)]
    is_whole = options.libretranslate is not None
    command = [options.libretranslate, *command] if is_whole else [sys.executable, *command, "--loop"]
    with program(command) as process:
        base = f"http://127.0.0.1:{port}"
        until = time.monotonic() + 180
        while True:
            try:
                ask(base, ["Yes."])
                break
            except OSError as problem:
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit(f"the peer does not answer: {' '.join(command)}") from problem
                time.sleep(0.5)
        yield base


def ask(base: str, texts: Sequence[str]) -> list[str]:
    body = json.dumps({"q": list(texts), "source": "en", "target": "de"}).encode()
    request = urllib.request.Request(f"{base}/translate", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)["translatedText"]


def measure(
    base: str, texts: Sequence[str], alone: Mapping[str, str], clients: int, size: int, seconds: float
) -> Measured:
    """Clients that ask one request after the other for some time; `alone` are the answers that are expected, if any."""
    measured = Measured(size)
    until = time.perf_counter() + seconds

    def client(number: int) -> None:
        at = number * 17
        while time.perf_counter() < until:
            chosen = [texts[(at + offset) % len(texts)] for offset in range(size)]
            at += size
            started = time.perf_counter()
            try:
                answers = ask(base, chosen)
            except urllib.error.HTTPError as problem:
                measured.refused += problem.code in (429, 503)
                measured.lost += problem.code not in (429, 503)
                time.sleep(float(problem.headers.get("retry-after", 1)))
                continue
            except OSError:
                measured.lost += 1
                continue
            measured.times.append(time.perf_counter() - started)
            if alone:
                measured.wrong += sum(alone[text] != answer for text, answer in zip(chosen, answers, strict=True))

    started = time.perf_counter()
    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    measured.took = time.perf_counter() - started
    return measured


def joined(rounds: Sequence[Measured]) -> Measured:
    """All rounds as one."""
    whole = Measured(rounds[0].size)
    for one in rounds:
        whole.times += one.times
        whole.took += one.took
        whole.wrong += one.wrong
        whole.lost += one.lost
        whole.refused += one.refused
    return whole


def compare(
    services: Mapping[str, str], texts: Sequence[str], alone: Mapping[str, str], options: argparse.Namespace
) -> None:
    """The table: both services for every number of clients and every size of lists."""
    print("service         clients  list  texts/s  median ms   p99 ms  wrong  lost  refused")
    for clients in options.clients:
        for size in options.lists:
            rounds: dict[str, list[Measured]] = {name: [] for name in services}
            for number in range(options.rounds):
                for name in list(services) if number % 2 == 0 else list(services)[::-1]:
                    known = alone if name == "regard" else {}
                    rounds[name].append(measure(services[name], texts, known, clients, size, options.seconds))
            for name, all_rounds in rounds.items():
                row = joined(all_rounds)
                median = statistics.median(row.times or [float("nan")])
                print(
                    f"{name:15} {clients:7} {size:5} {row.rate:8.1f} {1000 * median:10.1f} {1000 * row.p99:8.1f}"
                    f" {row.wrong:6} {row.lost:5} {row.refused:8}"
                )
            if len(services) > 1:
                ratios = [mine.rate / other.rate for mine, other in zip(*rounds.values(), strict=True) if other.times]
                if ratios:
                    low, high = min(ratios), max(ratios)
                    print(
                        f"  {clients} clients, lists of {size}: {statistics.median(ratios):.2f} times as many texts a"
                        f" second ({low:.2f} to {high:.2f} in {len(ratios)} rounds)",
                        flush=True,
                    )


def memory(pid: int) -> float:
    """MiB that a service has resident, all of its processes."""
    import psutil

    process = psutil.Process(pid)
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True))) / MIB


def metric(base: str, name: str) -> float:
    with urllib.request.urlopen(f"{base}/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


def abort(base: str, texts: Sequence[str], seconds: float) -> None:
    """Ask, and leave before the answer."""
    where, body = urlsplit(base), json.dumps({"q": list(texts), "source": "en", "target": "de"}).encode()
    with socket.create_connection((where.hostname, where.port)) as connection:
        head = f"POST /translate HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        time.sleep(seconds)


def leave(base: str, pid: int, texts: Sequence[str], alone: Mapping[str, str], count: int) -> None:
    """Requests that nobody waits for, among others that are answered: what is left of them."""
    import psutil

    draw, process = random.Random(0), psutil.Process(pid)
    measure(base, texts, alone, 8, 8, 5)
    before, threads = memory(pid), process.num_threads()
    answered: list[Measured] = []
    asking = threading.Thread(target=lambda: answered.append(measure(base, texts, alone, 4, 4, 15)))
    asking.start()
    for first in range(0, count, 32):
        leaving = [
            threading.Thread(target=abort, args=(base, draw.sample(texts, min(16, len(texts))), draw.uniform(0, 0.05)))
            for _ in range(min(32, count - first))
        ]
        for thread in leaving:
            thread.start()
        for thread in leaving:
            thread.join()
    asking.join()
    until = time.monotonic() + 120
    while (waiting := metric(base, "regard_waiting_texts")) and time.monotonic() < until:
        time.sleep(0.5)
    after = measure(base, texts, alone, 8, 8, 5)
    open_connections = sum(len(one.net_connections()) for one in (process, *process.children(recursive=True)))
    cancelled = metric(base, "regard_cancelled_requests")
    print(
        f"{count} aborted requests: {waiting:.0f} texts waiting, {cancelled:.0f} cancelled,"
        f" {process.num_threads() - threads:+} threads, {memory(pid) - before:+.1f} MiB, {open_connections} connections"
        f" open; beside them {len(answered[0].times)} answered, {answered[0].wrong + after.wrong} wrong,"
        f" {answered[0].lost + after.lost} lost"
    )


def watch_memory(base: str, pid: int, texts: Sequence[str], alone: Mapping[str, str], minutes: float) -> None:
    """Memory while the service is asked for so many minutes; the first tenth warms up."""
    measure(base, texts, alone, 16, 4, 6 * minutes)
    sizes = [memory(pid)]
    wrong = lost = requests = 0
    for _ in range(9):
        row = measure(base, texts, alone, 16, 4, 6 * minutes)
        wrong, lost, requests = wrong + row.wrong, lost + row.lost, requests + len(row.times)
        sizes.append(memory(pid))
    print(
        f"{minutes:g} minutes, {requests} requests: {sizes[0]:.1f} MiB resident after a tenth of them,"
        f" {sizes[-1]:.1f} MiB at the end ({min(sizes):.1f} to {max(sizes):.1f}); {wrong} wrong, {lost} lost"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each round of each service")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, nargs="+", default=CLIENTS)
    parser.add_argument("--lists", type=int, nargs="+", default=LISTS)
    parser.add_argument("--precision", default="float32", choices=["float32", "float16", "int8"])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=0, help="of each service; 0: as each likes")
    parser.add_argument("--peer-threads", type=int, help="of LibreTranslate, if others than of ours")
    parser.add_argument("--port", type=int, default=5005, help="and the next for the peer")
    parser.add_argument("--libretranslate", metavar="PYTHON", help="a Python that has libretranslate and tokenizers")
    parser.add_argument("--no-peer", action="store_true", help="measure our service alone")
    parser.add_argument("--aborts", type=int, default=0, metavar="COUNT")
    parser.add_argument("--minutes", type=float, default=0.0)
    options = parser.parse_args()
    if options.peer_threads is None:
        options.peer_threads = options.threads
    lines = (HERE / "everyday.txt").read_text(encoding="utf-8").splitlines()
    texts = [text for text in lines if text.strip() and not text.startswith("#")]
    import regard

    task = regard.load("en-de")
    alone = {text: task(text, precision=options.precision).text for text in texts}
    with ExitStack() as stack:
        base, pid = stack.enter_context(service(options))
        services = {"regard": base}
        if not options.no_peer:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "en-de"
            name = "LibreTranslate" if options.libretranslate else "its loop"
            if not options.libretranslate:
                print("LibreTranslate is not installed (--libretranslate): its loop on CTranslate2 stands for it")
            services[name] = stack.enter_context(peer(options, folder))
        if options.rounds:
            compare(services, texts, alone, options)
        if options.aborts:
            leave(base, pid, texts, alone, options.aborts)
        if options.minutes:
            watch_memory(base, pid, texts, alone, options.minutes)


if __name__ == "__main__":
    main()
