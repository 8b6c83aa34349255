"""Every family of the table: without torch, as a recipe names it, and saved and loaded.

Also tests: config/models.py, families/family.py, families/generic.py, families/memory.py, families/old_names.py,
families/options.py, families/read_config.py, families/sizes.py, families/tensor_names.py, families/xl.py,
models/build.py.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from regard.checkpoints import load_model, save_model
from regard.families import EXAMPLES, FAMILIES, LAYOUTS, PRESETS, RECIPES, architecture_of, family_of, generic
from regard.families.old_names import current_config
from regard.families.recipe import DataSizes, ModelRecipe
from regard.models import (
    Aligner,
    GlimpseNetwork,
    MaskedAligner,
    MemoryNetwork,
    Model,
    SpeechTransformer,
    Transformer,
    VisionTransformer,
    build,
)

BEFORE = Path(__file__).parents[1] / "before" / "checkpoints"


def logits(model: Model) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    tokens, target = (torch.randint(3, 40, (2, length), generator=generator) for length in (7, 5))
    with torch.no_grad():
        if isinstance(model, Transformer | Aligner):
            return model(tokens, target)
        if isinstance(model, MaskedAligner):
            return model.agreement(tokens, target)
        if isinstance(model, SpeechTransformer):
            return model(torch.randn(2, model.config.encoder.features, 12, generator=generator), target)
        if isinstance(model, VisionTransformer | GlimpseNetwork):
            channels = getattr(model.config, "channels", 1)
            return model(torch.rand(2, *[channels] * (channels > 1), 6, 6, generator=generator))
        if isinstance(model, MemoryNetwork):
            return model(torch.randint(1, 40, (2, 3, 4), generator=generator), target)
        return model(tokens)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_comes_back_from_a_folder_as_it_went_in(name, tmp_path):
    example = EXAMPLES[name]()
    torch.manual_seed(0)
    model = build(example.config).eval()
    save_model(model, tmp_path / "model", example.config_entries, example.architecture)
    loaded = load_model(tmp_path / "model")
    assert type(loaded.model) is type(model)
    assert torch.equal(logits(loaded.model), logits(model))


@pytest.mark.parametrize("name", FAMILIES)
def test_an_example_is_of_its_family(name):
    family, example = FAMILIES[name], EXAMPLES[name]()
    assert example.architecture in family.architectures
    assert example.config_entries["model_type"] == family.model_type
    assert family_of(example.config_entries, name) is LAYOUTS[family.model_type]


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.plan])
def test_a_family_plans_a_model_that_it_has_an_architecture_for(name):
    family = FAMILIES[name]
    assert family.plan is not None
    assert RECIPES[family.kind][name] is family
    plan = family.plan(ModelRecipe(kind=family.kind, width=8, layers=(1,), heads=2), DataSizes(20, sentence_words=5))
    assert plan.architecture in family.architectures
    assert plan.config_entries["model_type"] == family.model_type


def test_the_usual_family_of_each_kind_is_the_first():
    usual = {kind: next(iter(families)) for kind, families in RECIPES.items()}
    assert usual == {
        "encoder": "bert", "decoder": "gpt2", "transformer": "marian", "xl": "xl", "alignment": "alignment",
        "masked-aligner": "masked-aligner", "memory": "memory",
    }  # fmt: skip


def test_every_kind_of_model_has_a_family_and_an_architecture():
    assert generic.CONFIGS.keys() == generic.ARCHITECTURES.keys()
    assert {generic.kind_of(EXAMPLES[name]().config) for name in EXAMPLES} == {*generic.CONFIGS}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_written_in_the_words_of_its_family(name):
    config = PRESETS[name](vocabulary=50)
    assert generic.kind_of(config) in ("encoder", "decoder", "transformer")


WITHOUT_TORCH = """
import json, sys
from pathlib import Path
from safetensors.numpy import load_file
from regard.families import architecture_of, family_of
from regard.families.old_names import current_config, current_tensors, is_own
from regard.families.options import Options
from regard.families.read_config import read_model_config
for folder in sorted(path for path in Path(sys.argv[1]).iterdir() if path.is_dir()):
    described, tensors = json.loads((folder / "config.json").read_text()), load_file(folder / "model.safetensors")
    config = current_config(described)
    tensors = current_tensors(tensors) if is_own(described) else tensors
    family = family_of(config, folder.name)
    architecture = architecture_of(config, family, folder.name)
    ours = read_model_config(family, Options(config, folder.name, tensors), architecture)
    names = family.names(ours, architecture)
    known = {name for row in names.rows for name in row.file_names} | names.spare | names.copies.keys()
    assert names.is_own or {names.current_name(name) for name in tensors} <= known, folder.name
    print(folder.name, type(ours).__name__)
assert "torch" not in sys.modules
"""


def test_every_config_is_read_without_torch():
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(BEFORE)], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    configs = dict(line.split() for line in ran.stdout.splitlines())
    assert configs.keys() == {path.name for path in BEFORE.iterdir() if path.is_dir()}
    for name, kind in configs.items():
        assert type(load_model(BEFORE / name).model.config).__name__ == kind


def test_an_old_layout_of_ours_is_read_as_the_generic_one():
    described = json.loads((BEFORE / "regard-xl" / "config.json").read_text())
    config = current_config(described)
    assert (config["model_type"], config["kind"], config["architectures"]) == ("regard", "xl", ["TransformerXL"])
    assert architecture_of(config, generic.FAMILY, "") == "TransformerXL"
    assert current_config(config) == config
