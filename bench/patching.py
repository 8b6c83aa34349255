"""What looking inside costs: watching everything, a sweep of head patches and attribution patching, in forward passes.

    python bench/patching.py [--layers 12] [--length 1024] [--rounds 3]

A live GPT-2 of random weights, on one core; times are of the processor, medians, as ratios to the plain forward pass.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import torch
import transformers

import regard


def seconds(function: Callable[[], object]) -> float:
    begin = time.process_time()
    function()
    return time.process_time() - begin


def metric(logits: torch.Tensor) -> torch.Tensor:
    return logits[0, -1, 7] - logits[0, -1, 8]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--length", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=arguments.layers)).eval()
    clean = torch.randint(5, 5000, (1, arguments.length))
    corrupt = clean.clone()
    corrupt[0, 3] = 9
    sites = regard.sites(model)

    def watch(*names: str) -> None:
        with torch.no_grad(), regard.watch(model, *names):
            model(clean)

    def plain() -> None:
        with torch.no_grad():
            model(clean)

    plain()
    names = [name for name in sites if sites[name].view != "contribution"]
    ways: dict[str, tuple[Callable[[], object], int]] = {
        "plain forward": (plain, 1),
        "watch patterns": (watch, 1),
        "watch all sites but contributions": (lambda: watch(*names), 1),
        "watch everything": (lambda: watch(*sites), 1),
        "attribution patching, unchecked": (
            lambda: regard.patch(model, clean, corrupt, metric, "heads", exact=False, checks=0), 1),
        "12 head patches, per forward of 14": (
            lambda: regard.patch(model, clean, corrupt, metric, "heads", layers=[arguments.layers // 2]), 14),
    }  # fmt: skip
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(arguments.rounds):
        for name, (function, runs) in ways.items():
            times[name].append(seconds(function) / runs)
    base = statistics.median(times["plain forward"])
    for name, taken in times.items():
        print(f"{name:36} {statistics.median(taken):7.2f} s  {statistics.median(taken) / base:5.2f} x")
    print(f"watching everything keeps {sites.memory(batch=1, length=arguments.length) >> 20} MiB, as sites.memory says")


if __name__ == "__main__":
    main()
