"""Compiled and distributed models. They run once, in a program of their own: shape checks wrap functions."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from looking.readers import Reader, stream

import regard
from regard.attention import SCORES
from regard.looking import eager

PROGRAM = Path(__file__).with_name("compiled.py")
LAYERS = ["no mask", "padding", "causal and padding", "window", "alibi", "buckets", "shared heads", "pruned heads"]
CLAIMS = {
    "whole": "an untapped model compiles with fullgraph=True and answers as before",
    "watched": "watched, it answers as before",
    "names": "its layers are called as those of the model inside",
    "seen": "what is seen are the weights of the model inside",
    "edited": "an edit made after compiling is honoured",
    "edited through the model inside": "so is one made on the model inside",
    "afterwards": "after the block it answers as before",
    "compiled again for nobody": "and runs the code that was compiled",
    "nothing new was seen": "a watch that is over sees no more calls",
    "learns": "every parameter gets its gradient",
}


def told(*arguments: str) -> dict[str, dict[str, bool]]:
    run = subprocess.run([sys.executable, str(PROGRAM), *arguments], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def claims():
    return told()


@pytest.mark.parametrize("claim", CLAIMS)
def test_of_a_compiled_model_it_holds_that(claims, claim):
    assert claims["compiled"][claim], CLAIMS[claim]


@pytest.mark.parametrize("kind", [*LAYERS, *(f"score {name}" for name in SCORES)])
def test_an_untapped_layer_compiles_whole_before_it_ever_ran(claims, kind):
    assert claims["layers"][kind]


def test_a_compiled_model_may_be_looked_at_the_first_time_it_runs(claims):
    assert claims["first looked at"] == {"watched": True, "seen": True, "afterwards": True}


def test_a_distributed_model_has_the_names_and_the_answers_of_the_model_inside(claims):
    assert claims["distributed"] == {"names": True, "watched": True, "stream": True, "learns": True, "edited": True}


@pytest.mark.proof
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not on PATH: torch's own backend needs it")
def test_all_of_it_holds_with_torchs_own_backend():
    assert told("inductor") == dict.fromkeys(CLAIMS, True)


def test_the_switch_is_turned_back_by_the_last_to_leave():
    model, x = Reader(), stream()
    with regard.watch(model), regard.watch(model):
        model(x)
    with pytest.raises(ZeroDivisionError), regard.watch(model):
        _ = 1 / 0
    assert eager._lookers == 0
    assert eager._before is None
