"""One schema for edits, wherever they come from: what it refuses, it refuses in one line that names the field.

Also tests: looking/edit_fields.py.
"""

import json
import math

import numpy as np
import pytest
import torch
from looking.readers import HEADS, WIDTH

import regard
from regard.errors import EditError
from regard.layers import MultiHead
from regard.looking import edit_fields, edit_records
from regard.looking.edit_records import ALL_KINDS, check_edits, read_edits

GOOD = {
    "hide": {"do": "hide", "layer": "self", "positions": [0, -1, 0]},
    "scale": {"do": "scale", "heads": [0], "factor": [0.5]},
    "temperature": {"do": "temperature", "heads": None, "temperature": 2},
    "set": {"do": "set", "heads": [1], "rows": [0, 2], "weights": [[1, 0], [0.5, 0.5]]},
    "cut": {"do": "cut", "layer": "self", "heads": [0], "queries": [2, 1], "keys": [0], "batch": [0]},
    "set_pairs": {"do": "set_pairs", "queries": [2], "keys": [0], "weight": 0.5},
    "replace": {"do": "replace", "site": "0.stream.after", "positions": [1], "value": [1.0, 2.0]},
    "zero": {"do": "zero", "site": "0.self.head_output", "heads": [1], "start": 1, "stop": 3},
    "add": {"do": "add", "site": "0.stream.after", "value": [1.0], "coefficient": 2},
    "multiply": {"do": "multiply", "site": "0.feed_forward.output", "coefficient": 2, "batch": [0]},
    "mean": {"do": "mean", "site": "0.stream.after"},
    "resample": {"do": "resample", "site": "0.stream.after", "seed": 3},
    "project_out": {"do": "project_out", "site": "0.stream.after", "directions": [[1.0, 0.0]]},
}
BITS = 1 << 64
BAD_FIELDS = {
    "layer": [
        (3, "the name of a layer expected, got 3"),
        (["self"], "the name of a layer expected, got ['self']"),
        ("", "the name of a layer expected, got ''"),
        ("x" * 1001, "the name of a layer expected, got 'xxxx"),
        (None, "the name of a layer expected, got None"),
    ],
    "heads": [
        (0, "a list of whole numbers expected, got 0"),
        ("all", "a list of whole numbers expected, got 'all'"),
        ({}, "a list of whole numbers expected, got {}"),
        ([0, 0.5], "[1]: a whole number expected, got 0.5"),
        ([1.0], "[0]: a whole number expected, got 1.0"),
        ([True], "[0]: a whole number expected, got True"),
        (["0"], "[0]: a whole number expected, got '0'"),
        ([[0]], "[0]: a whole number expected, got [0]"),
        ([None], "[0]: a whole number expected, got None"),
        ([BITS], "[0]: a whole number from -2,147,483,648 to 2,147,483,647 expected, got 18446744073709551616"),
        ([10**5000], "[0]: a whole number from -2,147,483,648 to 2,147,483,647 expected, got a number of 16,610 bits"),
        ([-(1 << 31) - 1], "[0]: a whole number from -2,147,483,648 to 2,147,483,647 expected, got -2147483649"),
        ([2, 1, 2], "[2]: 2 is there already, as edits[0].heads[0]"),
        (torch.tensor([True, False]), "[0]: a whole number expected, got True"),
        (torch.tensor([[0]]), "a list of whole numbers expected, got a tensor of [1, 1], torch.int64"),
        (np.array([0.5]), "[0]: a whole number expected, got 0.5"),
    ],
    "positions": [
        (None, "a list of whole numbers expected, got None"),
        ([0, math.nan], "[1]: a whole number expected, got nan"),
        (b"\1\2", "a list of whole numbers expected, got b'"),
    ],
    "rows": [(1, "a list of whole numbers expected, got 1"), ([1, 1], "[1]: 1 is there already, as edits[0].rows[0]")],
    "temperature": [
        (0, "a number from 1e-06 to 1,000,000 expected, got 0"),
        (-1, "a number from 1e-06 to 1,000,000 expected, got -1"),
        (1e-7, "a number from 1e-06 to 1,000,000 expected, got 1e-07"),
        (math.nan, "a number from -1,000,000 to 1,000,000 expected, got nan"),
        (1e300, "a number from -1,000,000 to 1,000,000 expected, got 1e+300"),
        ([2], "a number expected, got [2]"),
        ("2", "a number from -1,000,000 to 1,000,000 expected, got '2'"),
        (True, "a number from -1,000,000 to 1,000,000 expected, got True"),
        (None, "a number from -1,000,000 to 1,000,000 expected, got None"),
        (torch.tensor(0.0), "a number from 1e-06 to 1,000,000 expected, got a tensor of []"),
        (torch.tensor([1.0]), "a number expected, got a tensor of [1]"),
    ],
    "factor": [
        (math.inf, "a number from -1,000,000 to 1,000,000 expected, got inf"),
        ([0, "x"], "[1]: a number from -1,000,000 to 1,000,000 expected, got 'x'"),
        ([], "a number from -1,000,000 to 1,000,000 expected, got []"),
        ([[[1]]], "numbers in 0 to 2 dimensions expected, got [[[1]]]"),
        (BITS, "a number from -1,000,000 to 1,000,000 expected, got 18446744073709551616"),
        (1j, "a number from -1,000,000 to 1,000,000 expected, got 1j"),
        (torch.tensor([1.0, math.nan]), "numbers from -1,000,000 to 1,000,000 expected, got nan"),
        (torch.tensor([1j]), "a tensor of numbers expected, got a tensor of [1], torch.complex64"),
        (torch.tensor([True]), "a tensor of numbers expected, got a tensor of [1], torch.bool"),
        (torch.empty(2, device="meta"), "a tensor of numbers expected, got a tensor of [2], torch.float32"),
        (torch.ones(2, 2).to_sparse(), "a tensor of numbers expected, got a tensor of [2, 2], torch.float32, torch.sp"),
        (np.array(["x"]), "[0]: a number from -1,000,000 to 1,000,000 expected, got 'x'"),
    ],
    "weights": [
        (0.5, "numbers in 1 to 4 dimensions expected, got 0.5"),
        ([[[[[1.0]]]]], "numbers in 1 to 4 dimensions expected, got [[[[[1.0]]]]]"),
        ([], "a number from -1,000,000 to 1,000,000 expected, got []"),
        ([1.0, [0.0]], "[1]: a number from -1,000,000 to 1,000,000 expected, got [0.0]"),
        ([[1.0, 0.0], [1.0]], "[1]: a list of 2 expected, got [1.0]"),
        ([[1.0], 1.0], "[1]: a list of 1 expected, got 1.0"),
        ([1.0, math.nan], "[1]: a number from -1,000,000 to 1,000,000 expected, got nan"),
        (torch.tensor([1.0, math.inf]), "numbers from -1,000,000 to 1,000,000 expected, got inf"),
        (torch.empty(0), "a tensor of numbers expected, got a tensor of [0]"),
    ],
}
BAD_FIELDS |= {
    "site": [(3, "the name of a layer expected, got 3")],
    "batch": [([0.5], "[0]: a whole number expected, got 0.5")],
    "queries": [([-1], "[0]: a position from the first token on, 0 or more, expected, got -1")],
    "keys": [([1, 1], "[1]: 1 is there already, as edits[0].keys[0]")],
    "start": [
        (-1, "a position from the first token on, 0 or more, expected, got -1"),
        (0.5, "a whole number expected"),
    ],
    "stop": [("3", "a whole number expected, got '3'")],
    "weight": [([[[[[1.0]]]]], "numbers in 0 to 4 dimensions expected, got [[[[[1.0]]]]]")],
    "value": [([1.0, math.nan], "[1]: a number from -1,000,000 to 1,000,000 expected, got nan")],
    "coefficient": [([1.0], "a number expected, got [1.0]"), ("2", "a number from -1,000,000 to 1,000,000 expected")],
    "seed": [(0.5, "a whole number expected, got 0.5")],
    "directions": [(1.0, "numbers in 1 to 2 dimensions expected, got 1.0")],
}
BAD = [(field, value, line) for field, lines in BAD_FIELDS.items() for value, line in lines]


def refusal(edits) -> str:
    with pytest.raises(EditError) as raised:
        check_edits(edits)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400
    return str(raised.value)


@pytest.mark.parametrize("kind", GOOD)
def test_a_good_edit_is_kept_as_it_is(kind):
    assert check_edits([GOOD[kind]]) == [GOOD[kind]]


def test_every_field_of_every_kind_is_tried_here():
    assert set(GOOD) == set(ALL_KINDS)
    assert {name for kind in ALL_KINDS.values() for name in kind.fields} == set(BAD_FIELDS)


@pytest.mark.parametrize(("field", "value", "line"), BAD, ids=[f"{field}-{line[:30]}" for field, _, line in BAD])
def test_what_a_field_cannot_hold_is_refused(field, value, line):
    kind = next(kind for kind in ALL_KINDS if field in ALL_KINDS[kind].fields)
    line = line if line.startswith("[") else f": {line}"
    assert refusal([GOOD[kind] | {field: value}]).startswith(f"edits[0].{field}{line}")


@pytest.mark.parametrize(
    ("record", "line"),
    [
        ({"do": "blur"}, ".do: unknown edit 'blur': known: add, cut, hide, mean, multiply, project_out"),
        ({"do": "scal"}, ".do: unknown edit 'scal': did you mean 'scale'? known"),
        ({"do": ["hide"], "positions": [1]}, ".do: unknown edit \"['hide']\": "),
        ({"do": "x" * 5000}, ".do: unknown edit"),
        ({}, ".do: the kind of the edit expected, one of add, cut, hide, mean"),
        ({"do": "scale", "heads": [0]}, ": the edit 'scale' needs factor, got {'do': 'scale', 'heads': [0]}"),
        ({"do": "set", "heads": [0]}, ": the edit 'set' needs rows, weights, got"),
        (GOOD["hide"] | {"rows": [3]}, ": the edit 'hide' has no field 'rows': known: do, layer, positions"),
        (GOOD["hide"] | {3: 4}, ": the edit 'hide' has no field 3: known: do, layer, positions"),
        ({"do": "temper"}, ".do: the edit 'temper' is called 'temperature' now"),
        ({"do": "scale", "place": "self"}, ".place: this field is called 'layer' now"),
        ("hide", ": an edit, that is fields by name, expected, got 'hide'"),
        (None, ": an edit, that is fields by name, expected, got None"),
        ([], ": an edit, that is fields by name, expected, got []"),
    ],
)
def test_an_edit_of_the_wrong_form_is_refused_by_its_number(record, line):
    assert refusal([GOOD["hide"], record]).startswith(f"edits[1]{line}")


@pytest.mark.parametrize("edits", [None, 3, "hide", {"do": "hide"}, iter([])])
def test_what_is_no_list_of_edits_is_refused(edits, unchecked):
    assert refusal(edits).startswith("edits: a list expected, got ")
    with pytest.raises(EditError), regard.edit(MultiHead(WIDTH, HEADS), edits if edits != "hide" else b"hide"):
        pass


def test_numbers_of_any_kind_become_those_of_python_and_tensors_stay():
    weights = torch.eye(2, requires_grad=True)
    (record,) = check_edits(
        [{"do": "set", "heads": np.array([1]), "rows": range(2), "weights": weights, "layer": "self"}]
    )
    assert (record["heads"], record["rows"]) == ([1], [0, 1])
    assert record["weights"] is weights
    (record,) = check_edits([{"do": "scale", "heads": torch.tensor([1]), "factor": np.float32(0.5)}])
    assert (record["heads"], record["factor"]) == ([1], 0.5)
    assert type(record["factor"]) is float


def test_lists_and_edits_are_bounded(monkeypatch):
    monkeypatch.setattr(edit_fields, "MAX_NUMBERS", 3)
    assert refusal([{"do": "hide", "positions": [1, 2, 3, 4]}]) == (
        "edits[0].positions: at most 3 numbers expected, got 4"
    )
    for weights in ([[1, 0], [0, 1]], torch.eye(2)):
        line = "edits[0].weights: at most 3 numbers expected, got 4"
        assert refusal([GOOD["set"] | {"weights": weights}]) == line
    with pytest.raises(EditError, match=r"^edits: at most 2 expected, got 3$"):
        check_edits([GOOD["hide"]] * 3, max_edits=2)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'[{"do": "hide", "positions": [1], "positions": [2]}]', "edits cannot be read: the name 'positions' comes"),
        (b'[{"do": "scale", "heads": [0], "factor": NaN}]', "edits cannot be read: a finite number expected, got NaN"),
        (b"\xff", "edits cannot be read: UTF-8 expected"),
        (b"[" * 5000, "edits cannot be read: nested more than 32 deep"),
        (b"3", "edits: a list expected, got 3"),
        (b'{"version": 2}', "edits: a list expected, got None"),
        (b'{"version": true, "edits": []}', "edits of version 2 expected, got version True"),
        (b'{"version": 2.0, "edits": []}', "edits of version 2 expected, got version 2.0"),
        (b'{"version": 2, "edits": [], "extra": 1}', "a list of edits, or a version and edits, expected, got 'extra'"),
        (b'[{"do": "hide", "positions": [0.5]}]', "edits[0].positions[0]: a whole number expected, got 0.5"),
    ],
)
def test_a_file_of_bad_edits_is_named_with_the_field(content, line, tmp_path):
    path = tmp_path / "edits.json"
    path.write_bytes(content)
    with pytest.raises(EditError) as raised:
        read_edits(path)
    assert str(raised.value).startswith(f"{path}: {line}")
    assert "\n" not in str(raised.value)


def test_a_file_that_is_too_large_or_no_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(edit_records, "MAX_BYTES", 10)
    path = tmp_path / "edits.json"
    path.write_text("[" + " " * 20 + "]")
    for wrong, line in ((path, "at most 0 MiB expected"), (tmp_path, "edits cannot be read: Is a directory")):
        with pytest.raises(EditError) as raised:
            read_edits(wrong)
        assert str(raised.value) == f"{wrong}: {line}"


def test_what_could_not_be_read_again_is_not_saved(tmp_path):
    path, factor = tmp_path / "edits.json", torch.tensor(2.0)
    path.write_text("before")
    with regard.edit(MultiHead(WIDTH, HEADS)) as edit:
        edit.head("self", 0).scale(factor)
        edit.save(path)
        assert json.loads(path.read_text())["edits"][0]["factor"] == 2.0
        factor.fill_(math.nan)
        with pytest.raises(
            EditError, match=r"edits\[0\].factor: a number from -1,000,000 to 1,000,000 expected, got nan"
        ):
            edit.save(path)
    assert json.loads(path.read_text())["edits"][0]["factor"] == 2.0
