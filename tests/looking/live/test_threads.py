"""Several threads on one live model: none sees, or is changed by, what another one watches and edits."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
import torch
from looking.live.families import FAMILIES, VOCABULARY, model_of
from looking.live.runs import inputs
from looking.live.settings import Setting

import regard
from regard.looking.layer_names import LayerNames

SCENARIOS, THREADS = 100, 8
OTHERS = ("gpt2", "gemma3_text", "mistral", "bert", "marian", "t5")
SETTING = Setting("left", "no cache", "sdpa", "all", "forward")


@dataclass
class Scenario:
    """What one call does: whether it writes, what it watches, and its edits as data."""

    seed: int
    generates: bool
    watched: list[str] | None
    edits: list[dict]


def scenarios(model, number: int, seed: int = 0) -> list[Scenario]:
    """Random scenarios, the same each time: plain ones, watched ones, edited ones and both."""
    rng = random.Random(seed)
    layers = list(LayerNames(model).layers)
    result = []
    for one in range(number):
        edits = []
        for _ in range(rng.choice([0, 0, 1, 2])):
            layer, heads = rng.choice(layers), rng.sample(range(4), rng.choice([1, 2]))
            edit = rng.choice(
                [
                    {"do": "hide", "positions": rng.sample(range(1, 6), 2)},
                    {"do": "scale", "factor": rng.choice([0.0, 0.5]), "heads": heads},
                    {"do": "temperature", "temperature": rng.choice([0.5, 3.0]), "heads": heads},
                ]
            )
            edits.append({"layer": layer, **edit})
        watched = rng.choice([None, [], rng.sample(layers, 1), rng.sample(layers, 2)])
        generates = rng.random() < 0.2 and model.can_generate()
        result.append(Scenario(one % 7, generates, watched, edits))
    return result


def run(model, family, scenario: Scenario) -> tuple[torch.Tensor, dict[str, list[torch.Tensor]]]:
    """Logits or tokens of a scenario, and the weights of every call of every layer that it saw."""
    given = inputs(family, SETTING)
    shift = torch.Generator().manual_seed(scenario.seed)
    tokens = torch.randint(5, VOCABULARY, given["input_ids"].shape, generator=shift)
    given["input_ids"] = tokens * given["attention_mask"]
    with regard.edit(model, scenario.edits), torch.no_grad():
        if scenario.watched is None:
            return call(model, given, scenario), {}
        with regard.watch(model, *scenario.watched) as seen:
            output = call(model, given, scenario)
    return output, {name: [pattern.weights() for pattern in seen.all(name)] for name in seen}


def call(model, given, scenario: Scenario) -> torch.Tensor:
    if scenario.generates:
        return model.generate(**given, max_new_tokens=2, do_sample=False, pad_token_id=0)
    return model(**given).logits


@pytest.mark.parametrize("name", ["llama", *(pytest.param(name, marks=pytest.mark.proof) for name in OTHERS)])
def test_a_hundred_scenarios_in_eight_threads_give_what_each_gives_alone(name):
    family, model = FAMILIES[name], model_of(name, "sdpa")
    todo = scenarios(model, SCENARIOS)
    alone = [run(model, family, scenario) for scenario in todo]
    with ThreadPoolExecutor(THREADS) as threads:
        together = list(threads.map(lambda scenario: run(model, family, scenario), todo))
    for one, (mine, other) in enumerate(zip(alone, together, strict=True)):
        assert torch.equal(mine[0], other[0]), todo[one]
        assert mine[1].keys() == other[1].keys(), todo[one]
        for layer, calls in mine[1].items():
            assert len(calls) == len(other[1][layer])
            assert all(torch.equal(a, b) for a, b in zip(calls, other[1][layer], strict=True)), todo[one]
    assert len({output.float().sum().item() for output, _ in alone}) > SCENARIOS / 4  # they are not all alike
    assert not any("taps" in vars(module) or "_regard_hooks" in vars(module) for module in model.modules())


def test_a_thread_that_watches_nothing_is_unchanged_and_unseen():
    family, model = FAMILIES["llama"], model_of("llama", "sdpa")
    given = inputs(family, SETTING)
    with torch.no_grad():
        plain = model(**given).logits
    outputs, stop = [], threading.Event()

    def others():
        with torch.no_grad():
            while not stop.is_set():
                outputs.append(model(**given).logits)

    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(others)
        for _ in range(20):
            with regard.watch(model) as seen, regard.edit(model) as edit, torch.no_grad():
                edit.head("decoder.1.self", 0).off()
                edited = model(**given).logits
            assert len(seen.all("decoder.1.self")) == 1
            assert not torch.equal(edited, plain)
        stop.set()
        running.result()
    assert outputs
    assert all(torch.equal(output, plain) for output in outputs)
