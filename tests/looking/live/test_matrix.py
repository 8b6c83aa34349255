"""Live models in every setting: watched, they put out the same bits, and their patterns are their eager weights.

    python -m pytest -m proof tests/looking/live/test_matrix.py -s

prints a table of all families and settings: exact, refused with the reason, or not run with the reason.

Also tests: looking/live/flex.py.
"""

import re
from dataclasses import fields

import pytest
from looking.live.comparisons import apart, check
from looking.live.families import FAMILIES, MAIN, Family
from looking.live.references import eager, plain
from looking.live.settings import PRODUCT, Setting, every, implementations, not_run, pairs

REFUSED = {
    "deepseek_v4": "DeepseekV4ForCausalLM has no attention layer that can be watched: .* keys that stand for",
    "diffllama": "DiffLlamaForCausalLM has no attention layer that can be watched: .* takes one softmax from another",
    **dict.fromkeys(("granite_swa", "granitemoe_swa"), "Granite.* takes the share of its sink off after the softmax"),
}
"""What may be refused, and with which words."""
NOT_RUN = {
    "deepseek_v4": "transformers: KeyError: 'heavily_compressed_attention'",
    "minimax": "transformers: ValueError: MiniMax uses cache of its own",
}
"""What transformers itself does not run."""
FEW = ("qwen3", "gpt_oss", "gemma2", "llama4_text", "phi3", "opt", "gpt_neox", "bert-decoder", "albert", "bart", "mt5")
"""Families of other ways to attend that are tested each time in a few settings, beside the main ones."""


def judge(family: Family, setting: Setting) -> str:
    """What came of a setting; an error if it is none that is known."""
    outcome = check(family.name, setting)
    known = {"refused": REFUSED, "not run": NOT_RUN}
    kind, _, reason = outcome.partition(": ")
    if kind != "exact":
        assert re.match(known[kind].get(family.name, "$"), reason), f"{family.name}: {setting}: {outcome}"
    return outcome


@pytest.mark.parametrize("name", MAIN)
def test_a_watched_model_is_unchanged_and_its_patterns_are_its_eager_weights(name):
    outcomes = {judge(MAIN[name], setting) for setting in pairs(MAIN[name])}
    assert outcomes == {"exact"}


@pytest.mark.parametrize("name", FEW)
def test_so_are_families_that_attend_otherwise(name):
    family = FAMILIES[name]
    first = max(("sdpa", "eager"), key=lambda one: one in implementations(name))
    wanted = [setting for setting in every(family) if setting.implementation == first and setting.layers == "all"]
    some = [setting for setting in wanted if setting.mask == "left" or setting.way == "forward"]
    assert {judge(family, setting) for setting in some[:: max(len(some) // 3, 1)]} == {"exact"}


def test_flex_attention_of_transformers_is_wrong_with_a_static_cache():
    setting = Setting("no mask", "static", "flex_attention", "all", "forward")
    assert apart(MAIN["llama"], setting, plain("llama", setting), eager("llama", setting)) > 0.01


@pytest.mark.proof
@pytest.mark.filterwarnings("ignore:not watched")  # of a hybrid: layers that do not attend
@pytest.mark.filterwarnings("ignore:Initializing zero-element", "ignore:`torch.jit.script`")  # MobileBERT, BigCode
@pytest.mark.parametrize("name", FAMILIES)
def test_every_setting_of_the_main_families_and_every_pair_of_the_others(name):
    family, outcomes, wrong = FAMILIES[name], {}, []
    for setting in every(family) if name in MAIN else pairs(family):
        try:
            outcomes[setting] = judge(family, setting)
        except Exception as problem:
            wrong.append(f"{setting}: {type(problem).__name__}: {problem}")
            outcomes[setting] = f"WRONG: {problem}"
    print(table(family, outcomes))
    assert not wrong, "\n".join(wrong)


def table(family: Family, outcomes: dict[Setting, str]) -> str:
    """A family's settings by what came of them, each with the values that they have and the others have not."""
    outcomes = {setting: f"not run: {why}" for setting in PRODUCT if (why := not_run(family, setting))} | outcomes
    lines = [f"\n{family.name}"]
    for outcome in sorted(set(outcomes.values()), key=lambda text: (text != "exact", text)):
        mine = [setting for setting, other in outcomes.items() if other == outcome]
        lines.append(f"  {len(mine):4} {outcome}{where(mine)}")
    return "\n".join(lines)


def where(settings: list[Setting]) -> str:
    """What settings have in common: the values of each field that does not take all that it can."""
    parts = []
    for number, field in enumerate(fields(Setting)[:5]):
        values = dict.fromkeys(setting.values[number] for setting in settings)
        if len(values) < len({setting.values[number] for setting in PRODUCT}):
            parts.append(f"{field.name}: {', '.join(values)}")
    return f" ({'; '.join(parts)})" if parts else ""
