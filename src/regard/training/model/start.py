"""Where a run begins: a new model, or one that learned something already."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path

from regard.checkpoints import load_model
from regard.checkpoints.files import list_names
from regard.config import Config
from regard.errors import RecipeError
from regard.families import FAMILIES
from regard.families.recipe import ModelPlan
from regard.models import ClassificationHeadConfig, DecoderConfig, EncoderConfig, Model, build
from regard.settings import shown
from regard.training.data.training_data import TrainingData
from regard.training.model.initial import initialise
from regard.training.model.model_plans import model_plan
from regard.training.optimisation.learner import freeze
from regard.training.recipe.recipe import ModelRecipe, Recipe, TrainRecipe

READ_WITH_START = ("kind", "pool", "memory_length", "max_positions")
JUDGING = ("metric", "patience")
LABELLING_ARCHITECTURES = {name: family.labelling for name, family in FAMILIES.items() if family.labelling}


@dataclass(frozen=True)
class StartingModel:
    """A model, and how it is written."""

    model: Model
    plan: ModelPlan


def starting_model(recipe: Recipe, data: TrainingData, say: Callable[[str], None]) -> StartingModel:
    """The model of a recipe before the first step; weights that are to stay as they are do not learn."""
    start = model_from_folder(recipe, data, say) if recipe.start else new_model(recipe, data)
    plain = TrainRecipe()
    judging = [f"train.{name}" for name in JUDGING if getattr(recipe.train, name) != getattr(plain, name)]
    if judging and not len(data.valid):
        say(f"there is no valid set (data.valid, data.valid_share), so these are not read: {list_names(judging)}")
    frozen_names, learning = freeze(start.model, recipe.train.frozen)
    for prefix in recipe.train.frozen:
        if not matches_prefix(prefix, frozen_names):
            raise RecipeError(f"train.frozen: no weight's name begins with {shown(prefix)}")
    if not learning:
        raise RecipeError("train.frozen: nothing is left to learn")
    return start


def matches_prefix(prefix: str, frozen_names: list[str]) -> bool:
    return any(f"{name.replace('.stack.blocks.', '.')}.".startswith(f"{prefix}.") for name in frozen_names)


def new_model(recipe: Recipe, data: TrainingData) -> StartingModel:
    plan = model_plan(recipe.model, data.sizes)
    model = build(plan.config)
    initialise(model, recipe.train.seed)
    return StartingModel(model, plan)


def model_from_folder(recipe: Recipe, data: TrainingData, say: Callable[[str], None]) -> StartingModel:
    """A checkpoint's weights; a head that it does not have is new, and said to be."""
    loaded = load_model(Path(recipe.start))
    if unread := unread_keys(recipe.model):
        say(f"the model is that of {recipe.start}, so these are not read: {list_names(unread)}")
    config, architecture = loaded.model.config, loaded.architecture
    entries = {key: value for key, value in loaded.config.items() if key not in ("id2label", "label2id", "num_labels")}
    if data.sizes.labels:
        kind = str(loaded.config.get("model_type"))
        if kind not in LABELLING_ARCHITECTURES:
            able = ", ".join(LABELLING_ARCHITECTURES)
            raise RecipeError(f"start = {recipe.start!r}: {kind} cannot be taught labels here, only {able}")
        config, architecture = with_labels(recipe, config, data.sizes.labels), LABELLING_ARCHITECTURES[kind]
    model = build(config)
    initialise(model, recipe.train.seed)
    old = loaded.model.state_dict()
    new_state = model.state_dict()
    fits = {name: tensor for name, tensor in old.items() if name in new_state and new_state[name].shape == tensor.shape}
    model.load_state_dict(fits, strict=False)
    if new := new_state.keys() - fits.keys():
        say(f"new, not from {recipe.start}: {list_names(new)}")
    if unused := old.keys() - fits.keys():
        say(f"not used of {recipe.start}: {list_names(unused)}")
    return StartingModel(model, ModelPlan(config, architecture, entries))


def unread_keys(recipe: ModelRecipe) -> list[str]:
    """What a recipe says of a model that is there already."""
    plain = ModelRecipe()
    names = [field.name for field in fields(recipe) if field.name not in READ_WITH_START]
    return [f"model.{name}" for name in names if getattr(recipe, name) != getattr(plain, name)]


def with_labels(recipe: Recipe, config: Config, labels: int) -> Config:
    """The same model, asked for labels."""
    pool = recipe.model.pool
    if isinstance(config, EncoderConfig):
        head = ClassificationHeadConfig(labels, pool, dropout=config.encoder.stack.dropout)
        return replace(config, output=None, classify=head, pooler="tanh", follows=False)
    if isinstance(config, DecoderConfig):
        return replace(config, output=None, classify=ClassificationHeadConfig(labels, "last", bias=False))
    raise RecipeError("labels are learned by models of one side")
