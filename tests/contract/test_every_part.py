"""Every score, position and way to attend, in every kind of model: trained, saved, loaded, decoded, watched, pruned.

    python -m pytest -m proof tests/contract -s

goes through the whole product and prints how many combinations are whole, and how many are refused before the first
step. A new entry of a table is in it before its author writes a line.
"""

from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import regard
from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS, AttentionMethod
from regard.checkpoints import load_model, save_model
from regard.decoding import decode
from regard.errors import RegardError
from regard.families import RECIPES
from regard.families.recipe import DataSizes, ModelPlan, ModelRecipe, PartRecipe
from regard.looking.layer_names import LayerNames
from regard.models import build
from regard.positions import POSITIONS
from regard.training.model.initial import initialise
from regard.training.model.model_plans import model_plan

VOCABULARY, LENGTH = 13, 7
METHODS: dict[str, type[AttentionMethod] | None] = {"full": None, **ATTENTION_METHODS}
KINDS = [(kind, family) for kind in ("encoder", "decoder", "transformer") for family in RECIPES[kind]]
Combination = tuple[str, str, str, str, str]
PRODUCT: list[Combination] = [
    (kind, family, score, position, method)
    for (kind, family), score, position, method in product(KINDS, SCORES, POSITIONS, METHODS)
]
FEW = [
    combination
    for combination in PRODUCT
    if combination[1] in ("bert", "gpt2", "marian")
    and sum([combination[2] != "dot", combination[3] != "learned", combination[4] != "full"]) <= 1
]
"""Each entry of each table alone, in each kind of model."""


def plan_of(combination: Combination) -> ModelPlan:
    kind, family, score, position, method = combination
    model = ModelRecipe(kind=kind, family=family, width=8, layers=(2,), heads=2, max_positions=24, dropout=0.0)
    parts = {"score": (score, SCORES), "position": (position, POSITIONS), "attention": (method, METHODS)}
    recipes = {key: PartRecipe(name, example_settings(table[name])) for key, (name, table) in parts.items()}
    return model_plan(replace(model, **recipes), DataSizes(VOCABULARY))


def example_settings(part: Any) -> dict[str, Any]:
    return {} if part is None else dict(part.example_settings)


def run(model: Any, tokens: Tensor) -> Tensor:
    return model(tokens, tokens.flip(1)) if hasattr(model, "encoder") and hasattr(model, "decoder") else model(tokens)


def train(model: Any, tokens: Tensor) -> None:
    """Two steps; every weight that is used moves."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(2):
        loss = F.cross_entropy(run(model, tokens).flatten(0, 1), tokens.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        assert loss.isfinite()


def check_saved(plan: ModelPlan, model: Any, tokens: Tensor, folder: Path) -> None:
    save_model(model, folder, plan.config_entries, plan.architecture)
    loaded = load_model(folder)
    assert loaded.model.config == model.config or plan.config_entries["model_type"] != "regard"
    assert torch.equal(run(loaded.model, tokens), run(model, tokens))


def check_decoded(model: Any, tokens: Tensor) -> bool:
    """What is written with a cache is what the whole passes find likeliest; False: this attention has no cache."""
    source = tokens if hasattr(model, "encoder") else None
    text = tokens[:, :2]
    try:
        results = decode(model, source, prefix=text, max_new_tokens=4, min_new_tokens=4)
    except RegardError as problem:
        if "cache" not in str(problem):
            raise
        return False
    for _ in range(4):
        logits = model(source, text) if source is not None else model(text)
        text = torch.cat([text, logits[:, -1:].argmax(-1)], 1)
    assert [list(result.best.ids) for result in results] == text[:, 2:].tolist()
    return True


def check_watched(model: Any, tokens: Tensor) -> None:
    """Watching changes nothing, and the weights times the values are what every layer really hands on."""
    outputs: dict[str, Tensor] = {}
    layers = LayerNames(model).layers
    hooks = [
        module.output.register_forward_pre_hook(lambda _, given, name=name: outputs.__setitem__(name, given[0]))
        for name, module in layers.items()
    ]
    plain = run(model, tokens)
    for hook in hooks:
        hook.remove()
    with regard.watch(model, values=True) as seen:
        assert torch.equal(run(model, tokens), plain)
    assert list(seen) == list(layers)
    for name, pattern in seen.items():
        heads = pattern.weights() @ pattern.values.repeat_interleave(pattern.shape[1] // pattern.values.shape[1], 1)
        torch.testing.assert_close(heads.transpose(1, 2).flatten(2), outputs[name], atol=1e-5, rtol=1e-4)


def check_pruned(model: Any, tokens: Tensor) -> None:
    """Without a head is what it is with that head off."""
    name = next(iter(LayerNames(model).layers))
    with regard.edit(model) as edit:
        edit.head(name, 1).off()
        gated = run(model, tokens)
    torch.testing.assert_close(run(regard.prune(model, {name: [1]}), tokens), gated, atol=1e-5, rtol=1e-4)


def check(combination: Combination, folder: Path) -> str:
    """What came of a combination: whole, whole but for a cache, or refused."""
    torch.manual_seed(0)
    try:
        plan = plan_of(combination)
    except RegardError as problem:
        (line,) = str(problem).splitlines()
        return f"refused: {line.split(', got')[0]}"
    model, tokens = build(plan.config), torch.randint(0, VOCABULARY, (2, LENGTH))
    initialise(model, seed=1)
    train(model, tokens)
    model = model.eval()
    with torch.no_grad():
        check_saved(plan, model, tokens, folder)
        check_watched(model, tokens)
        check_pruned(model, tokens)
        if combination[0] != "encoder" and not check_decoded(model, tokens):
            return "whole, without a cache"
    return "whole"


@pytest.mark.parametrize("combination", FEW, ids="-".join)
def test_each_entry_of_each_table_is_whole_in_each_kind_of_model(combination, tmp_path):
    assert check(combination, tmp_path / "model") in ("whole", "whole, without a cache") or "full" not in combination


@pytest.mark.proof
def test_the_whole_product(tmp_path):
    outcomes, wrong = Counter(), []
    for number, combination in enumerate(PRODUCT):
        try:
            outcomes[check(combination, tmp_path / str(number))] += 1
        except Exception as problem:
            wrong.append(f"{'-'.join(combination)}: {type(problem).__name__}: {str(problem).splitlines()[0]}")
    print(f"\n{len(PRODUCT)} combinations")
    for outcome, count in outcomes.most_common():
        print(f"  {count:5} {outcome}")
    assert not wrong, "\n".join(wrong)
