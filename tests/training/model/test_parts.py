"""Parts that a recipe puts into a family's model.

Also tests: models/parts.py, training/model/model_plans.py.
"""

from dataclasses import replace

import pytest
import torch

from regard.checkpoints import load_model, save_model
from regard.decoding import decode
from regard.families import FAMILIES, RECIPES
from regard.families.recipe import DataSizes, ModelRecipe, PartRecipe
from regard.models import DecoderConfig, EncoderConfig, PositionConfig, ScoreConfig, build
from regard.training.model.initial import initialise
from regard.training.model.model_plans import model_plan
from regard.training.recipe.reading import RecipeError, read_recipe, write_recipe

SIZES = DataSizes(20)
SMALL = ModelRecipe(width=8, layers=(1,), heads=2, max_positions=16)


@pytest.mark.parametrize(("kind", "family"), [(kind, family) for kind in RECIPES for family in RECIPES[kind]])
def test_a_model_that_its_family_has_words_for_is_written_in_its_layout(kind, family):
    entries = model_plan(replace(SMALL, kind=kind, family=family), SIZES).config_entries
    assert entries["model_type"] == FAMILIES[family].model_type


def test_sizes_are_filled_in_where_a_part_wants_to_know_them():
    plan = model_plan(replace(SMALL, kind="decoder", position=PartRecipe("alibi")), SIZES)
    assert isinstance(plan.config, DecoderConfig)
    assert plan.config.decoder.position == PositionConfig("alibi", {"heads": 2})
    assert (plan.architecture, plan.config_entries["model_type"]) == ("Decoder", "regard")


def test_settings_of_a_part_come_from_the_recipe():
    model = replace(
        SMALL, kind="encoder", score=PartRecipe("shaw", {"reach": 3}), attention=PartRecipe("window", {"before": 2})
    )
    plan = model_plan(model, SIZES)
    assert isinstance(plan.config, EncoderConfig)
    attention = plan.config.encoder.stack.attention
    assert attention.score == ScoreConfig("shaw", {"reach": 3})
    assert attention.method is not None
    assert attention.method.settings == {"before": 2}


def test_a_mean_of_all_tokens_can_be_what_labels_are_read_from():
    plan = model_plan(replace(SMALL, kind="encoder", pool="mean"), DataSizes(20, labels=3))
    assert plan.config_entries["model_type"] == "regard"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"position": PartRecipe("alibie")}, r"position scheme \(model.position.kind\) 'alibie': did you mean 'alibi'"),
        ({"score": PartRecipe("cosine", {"sharp": 1})}, "unknown key 'model.score.sharp': cosine has "),
        ({"attention": PartRecipe("window")}, r"model.attention: kind = 'window' needs before"),
        (
            {"attention": PartRecipe("lsh"), "position": PartRecipe("alibi")},
            "do not go together: LSHAttention adds nothing to its scores, got AlibiBias",
        ),
        ({"attention": PartRecipe("linear"), "score": PartRecipe("cosine")}, "do not go together: LinearAttention"),
    ],
)
def test_what_cannot_be_is_one_line_before_the_first_step(parts, message):
    with pytest.raises(Exception, match=message) as problem:
        model_plan(replace(SMALL, kind="decoder", **parts), SIZES)
    assert "\n" not in str(problem.value)


RECIPE = """
run = "run"
[data]
train = "text.txt"
[model]
kind = "decoder"
[model.position]
kind = "alibi"
[model.attention]
kind = "window"
before = 8
"""


def test_a_recipe_has_tables_of_parts(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    recipe = read_recipe(path, ["model.score.kind=cosine"])
    assert recipe.model.position == PartRecipe("alibi")
    assert recipe.model.attention == PartRecipe("window", {"before": 8})
    assert recipe.model.score == PartRecipe("cosine")
    path.write_text(write_recipe(recipe))
    assert read_recipe(path) == recipe


def test_a_name_where_a_table_should_be_is_told_so(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE.replace('kind = "decoder"', 'kind = "decoder"\nscore = "cosine"'))
    with pytest.raises(RecipeError, match=r"'model.score' is a table now: \[model.score\] with kind = 'cosine'"):
        read_recipe(path)


LEFT_OUT = [
    {"feed_forward": False},
    {"residual": False},
    {"norm": "none"},
    {"norm": "rms"},
    {"layers": (0,)},
]


@pytest.mark.parametrize("changes", LEFT_OUT, ids=str)
@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_what_a_recipe_leaves_out_is_left_out_and_saved_in_our_own_layout(kind, changes, tmp_path):
    plan = model_plan(replace(SMALL, kind=kind, dropout=0.0, **changes), SIZES)
    assert plan.config_entries["model_type"] == "regard"
    model = build(plan.config).eval()
    initialise(model, seed=1)
    save_model(model, tmp_path / "model", plan.config_entries, plan.architecture)
    loaded = load_model(tmp_path / "model").model
    assert loaded.config == plan.config
    tokens = torch.randint(0, 20, (2, 7), generator=torch.Generator().manual_seed(1))
    assert torch.equal(loaded(tokens), model(tokens))
    if kind == "decoder":
        loaded, text = loaded.double(), tokens[:, :2]  # fresh weights find many words nearly as likely
        written = decode(loaded, None, prefix=text, max_new_tokens=4, min_new_tokens=4)
        for _ in range(4):
            text = torch.cat([text, loaded(text)[:, -1:].argmax(-1)], 1)
        assert [list(result.best.ids) for result in written] == text[:, 2:].tolist()


def test_norms_stand_where_a_recipe_wants_them_and_a_family_that_has_them_there_keeps_its_layout():
    post = model_plan(replace(SMALL, kind="decoder", norm_place="post"), SIZES)
    assert isinstance(post.config, DecoderConfig)
    assert (post.config.decoder.stack.pre_norm, post.config.decoder.stack.final_norm) == (False, False)
    assert post.config_entries["model_type"] == "regard"
    assert model_plan(replace(SMALL, kind="decoder", norm_place="pre"), SIZES).config_entries["model_type"] == "gpt2"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "transformer", "layers": (0,)}, "model.layers = 0: an encoder or a decoder can do without"),
        ({"kind": "alignment", "residual": False}, "model.kind = 'alignment' has no residuals"),
    ],
)
def test_what_a_kind_cannot_do_without_is_refused(changes, message):
    with pytest.raises(RecipeError, match=message):
        model_plan(replace(SMALL, **changes), SIZES)
