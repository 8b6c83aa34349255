"""Names that are loaded when first used come from where they say, and are no modules."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from regard.lazy import lazy_names

PACKAGES = [
    *("regard", "regard.text", "regard.decoding", "regard.tasks"),
    *("regard.engine", "regard.families", "regard.pictures"),
]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_name_is_there_and_hides_no_module(name):
    package = import_module(name)
    modules = {path.stem for path in Path(package.__file__).parent.iterdir()}
    assert set(package.__all__) - {"__version__"} == set(package._PUBLIC)
    assert not modules & set(package._PUBLIC)
    for public in package.__all__:
        assert getattr(package, public) is not None
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        _ = package.nothing


def test_a_name_is_loaded_once(monkeypatch):
    package = type(sys)("made_up")
    monkeypatch.setitem(sys.modules, "made_up", package)
    load_name, names = lazy_names("made_up", {"sqrt": "math"})
    assert "sqrt" not in vars(package)
    assert load_name("sqrt")(9) == 3
    assert vars(package)["sqrt"] is load_name("sqrt")
    assert names() == ["sqrt"]


def test_the_tab_key_shows_the_tools_and_nothing_else():
    import regard

    assert set(dir(regard)) == set(regard.__all__)
    assert not any(isinstance(getattr(regard, name), type(sys)) for name in dir(regard))
