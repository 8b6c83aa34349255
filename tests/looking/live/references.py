"""What watched runs are compared with: the same model while nobody looks, and the weights of its eager copy."""

import copy
from dataclasses import replace
from functools import cache
from typing import Any

from looking.live.families import FAMILIES, Family, model_of
from looking.live.runs import Answer, batch_of, put_together, run
from looking.live.settings import Setting


def plain(name: str, setting: Setting) -> Answer:
    """What a model gives while nobody looks."""
    return kept(name, replace(setting, layers="all"), setting.implementation, False)


def eager(name: str, setting: Setting) -> Answer:
    """The same of the eager copy, with its own weights."""
    if setting.cache == "quantised" and setting.implementation != "eager":
        return kept_shadow(name, replace(setting, layers="all"))
    same = batch_of(FAMILIES[name], setting) == batch_of(FAMILIES[name], replace(setting, implementation="eager"))
    setting = replace(setting, layers="all", implementation="eager" if same else setting.implementation)
    return kept(name, setting, "eager", True)


@cache
def kept(name: str, setting: Setting, implementation: str, attentions: bool) -> Answer:
    """A run that several settings are compared with."""
    return run(model_of(name, implementation), FAMILIES[name], setting, attentions)


def shadowed(model: Any, other: Any, family: Family, setting: Setting) -> Answer:
    """The same with a cache that rounds: at every call the eager copy goes on from what the model itself has cached.

    A scale is taken over padding too, whose rows are not alike in two implementations, and rounding makes much of it.
    """
    answer = Answer([])

    def call_other(_module: Any, given: tuple[Any, ...], named: dict[str, Any]) -> None:
        named = copy.deepcopy(named) | {"output_attentions": True, "return_dict": True}
        output = other(*given, **named)
        one = put_together([output], family)
        answer.logits.append(one.logits[0] if setting.way == "forward" else one.logits[0][:, -1])
        for kind, calls in one.attentions.items():
            answer.attentions.setdefault(kind, []).extend(calls)

    hook = model.register_forward_pre_hook(call_other, with_kwargs=True)
    try:
        answer.tokens = run(model, family, setting).tokens
    finally:
        hook.remove()
    if family.is_pair:
        without = replace(setting, cache="no cache", way="forward")
        answer.attentions["encoder"] = run(other, family, without, attentions=True).attentions["encoder"]
    return answer


@cache
def kept_shadow(name: str, setting: Setting) -> Answer:
    return shadowed(model_of(name, setting.implementation), model_of(name, "eager"), FAMILIES[name], setting)
