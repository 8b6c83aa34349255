"""An aligner that learns from the texts at hand, beginning with what an aligner or two translators know."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

from regard.checkpoints import save_model
from regard.config import MaskedAlignerConfig
from regard.errors import RegardError
from regard.families import generic
from regard.families.recipe import ModelRecipe
from regard.models import Transformer, build
from regard.tasks.find import find
from regard.tasks.torch_loading import config_of_folder
from regard.tasks.translate import TranslateTask
from regard.text import save_tokenizer
from regard.training import Recipe, train
from regard.training.recipe.recipe import DataRecipe, TrainRecipe

NAMES = {"self": "words", "self_norm": "words_norm"}  # what blocks of an aligner call parts of a decoder's
READS = ("there.encoder", "back.encoder")  # what has learned to read, and stays as it is
STEPS = 100_000  # more than anybody waits for: minutes end it


def save_start(there: TranslateTask, back: TranslateTask, folder: str | Path) -> None:
    """Write an aligner to `folder` that has the weights of two translators of opposite directions.

    Each direction reads with the encoder of the translator that reads the same language, and guesses with its decoder's
    attention, feed-forward layers and norms; that queries know no word is what it has still to learn.
    """
    models = [translator_model(task) for task in (there, back)]
    check_alike(there, back)
    config = MaskedAlignerConfig(models[0].config.encoder, models[0].config.decoder.stack.layers, shared=False)
    model = build(config)
    weights = {
        f"{side}.{key}": tensor
        for side, translator in zip(("there", "back"), models, strict=True)
        for key, tensor in side_weights(translator).items()
    }
    model.load_state_dict(weights)
    plan, source = generic.plan(config), there.checkpoint
    limits = {key: source.config[key] for key in ("max_position_embeddings", "eos_token_id", "pad_token_id")}
    with tempfile.TemporaryDirectory() as beside:
        save_tokenizer(there.tokenizer, Path(beside))
        files = sorted(Path(beside).iterdir())
        save_model(model, folder, {**plan.config_entries, **limits}, plan.architecture, files=files)


def translator_model(task: TranslateTask) -> Transformer:
    model = task.model
    if not isinstance(model, Transformer):
        raise RegardError(f"{task.checkpoint.folder}: an aligner begins with encoder-decoders, this is none")
    return model


def check_alike(there: TranslateTask, back: TranslateTask) -> None:
    """An aligner has one tokeniser for both texts, and directions of one shape."""
    folders = [task.checkpoint.folder for task in (there, back)]
    if there.tokenizer.vocabulary != back.tokenizer.vocabulary:
        raise RegardError(f"{folders[0]} and {folders[1]}: an aligner has one tokeniser, these have two")
    shapes = [
        {key: tensor.shape for key, tensor in translator_model(task).state_dict().items()} for task in (there, back)
    ]
    if shapes[0] != shapes[1]:
        raise RegardError(f"{folders[0]} and {folders[1]}: the directions of an aligner have one shape, these have two")


def side_weights(model: Transformer) -> dict[str, Tensor]:
    """The weights of one direction: of the cross-attention of a decoder only the last layer's."""
    table, last = model.state_dict(), model.config.decoder.stack.layers - 1
    words = table["encoder.embedding.table.weight"]
    weights = {key: tensor for key, tensor in table.items() if key.startswith("encoder.")}
    weights |= {"embedding.table.weight": words, "output.weight": words, "nothing": words.new_zeros(words.shape[1])}
    for key, tensor in table.items():
        if not key.startswith("decoder.stack.blocks."):
            continue
        layer, part, rest = key.removeprefix("decoder.stack.blocks.").split(".", 2)
        if part.startswith("cross") and int(layer) < last:
            continue
        prefix = f"blocks.{layer}.{NAMES.get(part, part)}"
        if rest.startswith("qkv."):  # a decoder asks itself, here positions ask words
            kind = rest.removeprefix("qkv.")
            query, *others = tensor.chunk(3)
            weights |= {f"{prefix}.query.{kind}": query, f"{prefix}.kv.{kind}": torch.cat(others)}
        else:
            weights[f"{prefix}.{rest}"] = tensor
    return weights


def learn_aligner(texts: Sequence[str], start: str | Path, run: str | Path, *, minutes: float, device: str) -> Path:
    """Let an aligner learn from pairs of texts, two files or one .tsv, for some minutes: the folder that it is in then.

    A run that was stopped goes on where it was.
    """
    folder = find(start)
    if not isinstance(config_of_folder(folder), MaskedAlignerConfig):
        raise RegardError(f"{start}: an aligner is expected to learn on; with two translators it begins with both")
    recipe = Recipe(
        run=str(run),
        start=str(folder),
        data=DataRecipe(train=tuple(str(Path(text).resolve()) for text in texts), max_length=128, faulty="leave-out"),
        model=ModelRecipe(kind="masked-aligner"),
        train=TrainRecipe(
            objective="align",
            steps=STEPS,
            minutes=minutes,
            batch_tokens=3000,
            learning_rate=5e-4,
            warmup=100,
            schedule="constant",
            clip_norm=1.0,
            frozen=READS,
            precision="auto",
        ),
    )
    return Path(train(recipe, device=device))
