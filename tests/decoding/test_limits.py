"""Numbers that ask for what nobody can mean are refused by name, before anything is done."""

import math

import numpy as np
import pytest
import torch
from decoding.toys import Table, sources

from regard.decoding import Beam, Constraints, Sampling, decode, stream
from regard.decoding.limits import MAX_BEAMS, MAX_HYPOTHESES, MAX_NEW_TOKENS
from regard.errors import ArgumentError, RegardError

pytestmark = pytest.mark.usefixtures("unchecked")
NOT_WHOLE = {"half": 1.5, "float": 2.0, "nan": math.nan, "text": "3", "none": None, "bool": True, "list": [1]}
NOT_FINITE = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "huge": 1e300,
    "digits": 10**5000,
    "text": "1",
    "none": None,
    "bool": True,
}
TOO_MANY = {"10**12": 10**12, "2**63": 2**63, "10**5000": 10**5000}


def asked(model=None, **numbers):
    source, prefix = sources(2)
    return decode(model or Table.drawn(0, 3, 3, sources=2), source, prefix=prefix, **{"max_new_tokens": 3} | numbers)


@pytest.mark.parametrize("value", [*NOT_WHOLE.values(), -1, *TOO_MANY.values()], ids=[*NOT_WHOLE, "-1", *TOO_MANY])
@pytest.mark.parametrize("name", ["max_new_tokens", "min_new_tokens", "num_hypotheses"])
def test_counts_are_whole_and_bounded(name, value):
    if name == "max_new_tokens" and (value is None or value == [1]):
        pytest.skip("None is the default, and a list has one number for each row")
    with pytest.raises(RegardError, match=f"^{name}(=| is )"):
        asked(**{name: value}, **({"sampling": Sampling()} if name == "num_hypotheses" else {}))


@pytest.mark.parametrize("value", [*NOT_WHOLE.values(), 0, -1, 10**12, MAX_BEAMS + 1])
def test_a_beam_is_whole_and_bounded(value):
    with pytest.raises(ArgumentError, match=r"^beam is a whole number from 1 to 1000, got "):
        Beam(value)
    if not isinstance(value, list):
        with pytest.raises(ArgumentError, match=r"^beam is a whole number from 1 to 1000, got "):
            asked(beam=value)


@pytest.mark.parametrize("value", NOT_FINITE.values(), ids=NOT_FINITE)
@pytest.mark.parametrize("way", [{}, {"beam": 2}, {"sampling": Sampling()}], ids=["greedy", "beam", "sample"])
def test_a_length_penalty_is_a_number(value, way):
    with pytest.raises(ArgumentError, match=r"^length_penalty is a number from -10 to 10, got "):
        asked(length_penalty=value, **way)


@pytest.mark.parametrize("value", [0, -1.0, *NOT_FINITE.values()], ids=["0", "-1", *NOT_FINITE])
def test_a_repetition_penalty_is_a_number(value):
    with pytest.raises(ArgumentError, match=r"^repetition_penalty is a number from 0.01 to 100, got "):
        Constraints(repetition_penalty=value)


@pytest.mark.parametrize("value", NOT_FINITE.values(), ids=NOT_FINITE)
def test_a_coverage_penalty_is_a_number(value):
    with pytest.raises(ArgumentError, match=r"^coverage_penalty is a number from "):
        Beam(2, coverage_penalty=value)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("temperature", [0, -1.0, 1e-300, *NOT_FINITE.values()]),
        ("top_p", [0, -0.1, 1.01, *NOT_FINITE.values()]),
        ("min_p", [-0.1, 1.01, *NOT_FINITE.values()]),
        ("top_k", [-1, *NOT_WHOLE.values()]),
        ("seed", [1.5, "3", None, (1, 2.5)]),
    ],
)
def test_what_is_drawn_by_is_a_number(name, values):
    for value in values:
        with pytest.raises(ArgumentError, match=f"^{name} is "):
            Sampling(**{name: value})


@pytest.mark.parametrize("name", ["ends", "banned", "banned_first", "allowed", "phrases", "first", "last"])
@pytest.mark.parametrize("token", [-1, 2**31, 2**70, 1.0, "a", None, True])
def test_tokens_in_constraints_are_numbers_of_tokens(name, token):
    if name in ("first", "last") and token is None:
        pytest.skip("None forces nothing")
    value = token if name in ("first", "last") else ((token,),) if name == "phrases" else (token,)
    with pytest.raises(ArgumentError, match=f"^{name} is a whole number from 0 to 2147483647, got "):
        Constraints(**{name: value})


def test_numbers_of_numpy_and_torch_are_numbers():
    plain = asked(beam=2, length_penalty=0.5, num_hypotheses=2)
    lent = asked(
        beam=np.int32(2),
        length_penalty=np.float32(0.5),
        num_hypotheses=np.int64(2),
        max_new_tokens=torch.tensor([3, 3]),
        constraints=Constraints(repetition_penalty=np.float64(1)),
    )
    assert lent == plain
    assert asked(max_new_tokens=np.array([3, 3], dtype=np.int16)) == asked(max_new_tokens=np.int8(3)) == asked()


def test_the_largest_that_are_allowed_are_answered():
    ending = Constraints(ends=(0, 1, 2))
    assert len(asked(max_new_tokens=MAX_NEW_TOKENS, constraints=ending)) == 2
    assert len(asked(beam=MAX_BEAMS, num_hypotheses=MAX_BEAMS, constraints=ending)[0].hypotheses) == 3
    drawn = asked(num_hypotheses=MAX_HYPOTHESES, sampling=Sampling(), constraints=ending)
    assert [len(texts.hypotheses) for texts in drawn] == [MAX_HYPOTHESES] * 2


def test_streams_are_refused_when_they_are_asked_for():
    source, prefix = sources(1)
    for wrong in ({"max_new_tokens": 10**12}, {"min_new_tokens": -1}, {"max_new_tokens": [1.5]}):
        with pytest.raises(ArgumentError, match=f"^{next(iter(wrong))} is "):
            stream(Table.drawn(0, 2, 2), source, prefix=prefix, **wrong)
