"""The structs that Python and C++ share are compared when a library is loaded."""

import ctypes

import pytest
from needs_engine import needs_engine

from regard.engine import build
from regard.engine import library as module
from regard.engine.library import Library, library

pytestmark = needs_engine


def own_structs():
    return [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, ctypes.Structure)]


def test_every_struct_is_compared():
    assert set(module.SPECS) == set(own_structs())
    loaded = library()
    assert loaded is not None
    lines = loaded.layout().decode().splitlines()
    assert {line.partition(".")[0].split()[0] for line in lines} == {spec.__name__ for spec in own_structs()}
    assert len(lines) == sum(1 + len(spec._fields_) for spec in own_structs())


def moved_field(name, fields):
    """A struct of the same name, a field of which lies elsewhere."""
    return type(name, (ctypes.Structure,), {"_fields_": fields})


@pytest.mark.parametrize("number", range(len(module.SPECS)))
@pytest.mark.parametrize("change", ["another order", "another size", "one more"])
def test_a_struct_that_differs_is_refused_in_one_line(monkeypatch, number, change):
    spec = module.SPECS[number]
    fields = [*spec._fields_]
    if change == "another order":
        fields[0], fields[1] = fields[1], fields[0]
    elif change == "another size":
        fields[-1] = (fields[-1][0], ctypes.c_int64 * 3)
    else:
        fields.append(("more", ctypes.c_int32))
    other = [*module.SPECS]
    other[number] = moved_field(spec.__name__, fields)
    loaded = library()
    assert loaded is not None
    monkeypatch.setattr(module, "SPECS", tuple(other))
    with pytest.raises(OSError, match=f"of other sources: its structs have {spec.__name__}") as refused:
        Library(loaded.path)
    assert "\n" not in str(refused.value)
    module.open_library.cache_clear()
    assert library() is None
    assert build.why() == str(refused.value)
    module.open_library.cache_clear()
