"""Parts of recipes, with tables of torch and with tables without it."""

import pytest
from diagram_examples import CONFIGS

from regard.architectures.part_weights import PART_WEIGHTS
from regard.attention import SCORES
from regard.attention.efficient import ATTENTION_METHODS
from regard.errors import RecipeError, UnknownName
from regard.families.recipe import ModelRecipe, PartRecipe
from regard.families.recipe_parts import PartTables, with_parts
from regard.positions import POSITIONS

LIBRARY = PartTables(POSITIONS, SCORES, ATTENTION_METHODS)
RECIPES = [
    ModelRecipe(max_positions=20, **{key: PartRecipe(kind, dict(settings))})
    for key, kind, settings in [
        *(("position", kind, {}) for kind in POSITIONS),
        *(("score", kind, SCORES[kind].example_settings) for kind in SCORES),
        *(("attention", kind, {"before": 3} if kind == "window" else {}) for kind in ATTENTION_METHODS),
    ]
]


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
@pytest.mark.parametrize("name", ["bert", "marian"])
def test_both_tables_make_the_same_config(name, recipe):
    assert with_parts(CONFIGS[name], recipe, PART_WEIGHTS) == with_parts(CONFIGS[name], recipe, LIBRARY)


def test_without_parts_a_config_stays_as_it_is():
    assert with_parts(CONFIGS["bert"], ModelRecipe(), PART_WEIGHTS) is CONFIGS["bert"]


def test_sizes_are_filled_in():
    config = with_parts(CONFIGS["bert"], ModelRecipe(position=PartRecipe("rotary")), PART_WEIGHTS)
    assert config.encoder.position.settings == {"head_width": 6}


@pytest.mark.parametrize(
    ("recipe", "error", "message"),
    [
        (ModelRecipe(position=PartRecipe("rotory")), UnknownName, "did you mean 'rotary'"),
        (ModelRecipe(score=PartRecipe("shaw", {"far": 1})), RecipeError, r"unknown key 'model\.score\.far'"),
        (ModelRecipe(attention=PartRecipe("window")), RecipeError, "needs before"),
    ],
)
def test_what_is_wrong_is_one_line(recipe, error, message):
    with pytest.raises(error, match=message):
        with_parts(CONFIGS["bert"], recipe, PART_WEIGHTS)


def test_models_without_such_parts_say_so():
    with pytest.raises(RecipeError, match="has no position, score, attention or values"):
        with_parts(CONFIGS["memory"], ModelRecipe(position=PartRecipe("rotary")), PART_WEIGHTS)
