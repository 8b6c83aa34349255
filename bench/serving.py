"""How much a service answers: texts a second for 1, 8 and 64 clients, one text or 64 in a request, and the slowest of
a hundred answers; every answer is compared with the one that its text gets alone.

    python bench/serving.py
    python bench/serving.py --seconds 20 --peer http://127.0.0.1:5001

`--peer` is the address of another service with LibreTranslate's protocol and the same languages; the two are asked in
turns. Its answers are counted, not compared: another program may translate otherwise. A request that is told to come
back later is counted as refused, and its client does.
"""

import argparse
import json
import statistics
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

CLIENTS = (1, 8, 64)
LISTS = (1, 64)


@contextmanager
def service(precision: str, port: int) -> Iterator[str]:
    """`regard serve` as a program of its own."""
    command = [sys.executable, "-m", "regard", "serve", "--json", "-m", "en-de", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--precision", precision], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            yield json.loads(server.stdout.readline())["url"].rstrip("/")
        finally:
            server.terminate()


def ask(base: str, texts: Sequence[str]) -> list[str]:
    body = json.dumps({"q": list(texts), "source": "en", "target": "de"}).encode()
    request = urllib.request.Request(f"{base}/translate", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)["translatedText"]


def measure(
    base: str, texts: Sequence[str], alone: Mapping[str, str], clients: int, size: int, seconds: float
) -> dict[str, float]:
    """Clients that ask one request after the other for some time; `alone` are the answers that are expected, if any."""
    times: list[float] = []
    wrong: list[str] = []
    refused: list[int] = []
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
                if problem.code not in (429, 503):
                    raise
                refused.append(problem.code)
                time.sleep(float(problem.headers["retry-after"]))
                continue
            times.append(time.perf_counter() - started)
            if alone:
                wrong.extend(text for text, answer in zip(chosen, answers, strict=True) if alone[text] != answer)

    started = time.perf_counter()
    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - started
    slowest = statistics.quantiles(times, n=100)[98] if len(times) > 1 else max(times, default=float("nan"))
    return {
        "texts a second": len(times) * size / took,
        "median": statistics.median(times or [float("nan")]),
        "p99": slowest,
        "wrong": len(wrong),
        "refused": len(refused),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0, help="for each measurement")
    parser.add_argument("--precision", default="float32", choices=["float32", "float16", "int8"])
    parser.add_argument("--port", type=int, default=5005)
    parser.add_argument("--peer", help="another service with LibreTranslate's protocol")
    options = parser.parse_args()
    texts = (Path(__file__).parent / "everyday.txt").read_text(encoding="utf-8").splitlines()
    texts = [text for text in texts if text.strip() and not text.startswith("#")]
    with service(options.precision, options.port) as base:
        alone = {text: ask(base, [text])[0] for text in texts}
        services = {"regard": base} | ({"peer": options.peer} if options.peer else {})
        print("service  clients  list  texts/s  median ms  p99 ms  wrong  refused")
        for clients in CLIENTS:
            for size in LISTS:
                for name, address in services.items():
                    known = alone if name == "regard" else {}
                    row = measure(address, texts, known, clients, size, options.seconds)
                    print(
                        f"{name:8} {clients:7} {size:5} {row['texts a second']:8.1f} {1000 * row['median']:10.1f}"
                        f" {1000 * row['p99']:7.1f} {row['wrong']:6.0f} {row['refused']:8.0f}"
                    )


if __name__ == "__main__":
    main()
