"""A folder in the engine without torch answers what the model of torch in the engine answers, to the last bit.

Also tests: engine/folder_parts.py, engine/module_parts.py, engine/parts.py, engine/packed_model.py, engine/state.py,
engine/positions.py, engine/layer_changes.py, engine/highest.py, engine/serving.py, engine/threads.py,
families/folder_family.py, families/registry.py, folder_files.py, config/slopes.py, decoding/array_steps.py,
decoding/array_inputs.py, decoding/tensor_steps.py.
"""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import MODELS, made, texts

from regard.checkpoints import load_model, save_model
from regard.decoding import Beam, Constraints, Sampling, decode
from regard.engine import PRECISIONS, Unsupported
from regard.engine.folder_model import FolderModel
from regard.engine.positions import Rotations, Waves, bucket_numbers
from regard.engine.threads import default_thread_count, set_thread_count, thread_count
from regard.errors import ArgumentError, ShapeError
from regard.families import EXAMPLES, LAYOUTS, generic
from regard.families.folder_family import HOMES, folder_family
from regard.folder_files import stored_tensors
from regard.models import Transformer, build
from regard.positions.buckets import bucket_of
from regard.positions.rotary import RopeScaling, Rotary
from regard.positions.sinusoidal import waves

LEFT_TO_TORCH = {"qwen3", "phi3", "gemma2", "gemma3_text", "olmo2", "gpt_neox", "mixtral"}
WRITERS = [
    name
    for name, example in EXAMPLES.items()
    if name != "xl" and example().config.__class__.__name__ in ("DecoderConfig", "TransformerConfig")
]
WAYS = {
    "greedy": {},
    "beam": {"beam": 3, "num_hypotheses": 2},
    "patient": {"beam": Beam(3, early_stop=False), "length_penalty": 0.6},
    "drawn": {"sampling": Sampling(top_k=20, top_p=0.9, seed=3), "num_hypotheses": 2},
    "constrained": {
        "beam": 2,
        "constraints": Constraints(ends=(0,), no_repeat=2, repetition_penalty=1.3, banned=(3, 4), min_new_tokens=3),
    },
    "allowed": {"constraints": Constraints(ends=(0,), allowed=tuple(range(5, 30)), first=7, last=9)},
}


def saved(name, path):
    """A model of the engine's kinds, as a folder in our own layout."""
    model = made(name, spread=0.6)
    plan = generic.plan(model.config)
    return save_model(model, path / "model", plan.config_entries, plan.architecture)


def asked(is_pair):
    """What both are asked: arrays for the one, tensors for the other."""
    tokens, mask = texts(5, 6, seed=1)
    told = {"max_new_tokens": 8, "constraints": Constraints(ends=(0,))}
    if is_pair:
        return told | {"source": tokens, "attention_mask": mask, "prefix": torch.ones(5, 1, dtype=torch.long)}
    return told | {"source": None, "prefix": tokens, "prefix_attention_mask": mask}


def as_arrays(told):
    return {name: value.numpy() if isinstance(value, torch.Tensor) else value for name, value in told.items()}


def found(results):
    return [[(one.ids, one.scores, one.rank_score) for one in result.hypotheses] for result in results]


@needs_engine
@pytest.mark.parametrize(
    "name", sorted(MODELS.keys() - {"pruned"})
)  # whose encoder has a look across, which no file can say
def test_every_kind_of_model_writes_the_same_in_every_way(name, tmp_path):
    folder = saved(name, tmp_path)
    light, model = FolderModel.open(folder, wait=True), load_model(folder).model
    told = asked(isinstance(model, Transformer))
    for way, more in WAYS.items():
        for precision in PRECISIONS:
            one = decode(light, **as_arrays(told) | more, precision=precision)
            other = decode(model, **told | more, precision=precision)
            assert found(one) == found(other), (way, precision)


@needs_engine
@pytest.mark.parametrize("name", WRITERS)
def test_every_family_is_served_as_with_torch_or_left_to_it(name, tmp_path):
    torch.manual_seed(0)
    example = EXAMPLES[name]()
    model = build(example.config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    folder = save_model(model, tmp_path / "model", example.config_entries, example.architecture)
    if name in LEFT_TO_TORCH:
        with pytest.raises(Unsupported):
            FolderModel.open(folder, wait=True)
        return
    light, loaded = FolderModel.open(folder, wait=True), load_model(folder).model
    told = asked(isinstance(loaded, Transformer)) | {"beam": 2}
    told = {
        key: value % 40 if key in ("source", "prefix") and value is not None else value for key, value in told.items()
    }
    assert found(decode(light, **as_arrays(told))) == found(decode(loaded, **told))


@needs_engine
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_weights_are_widened_as_torch_does_it(dtype, tmp_path):
    example = EXAMPLES["gpt2"]()
    torch.manual_seed(0)
    model = build(example.config).to(dtype)
    folder = save_model(model, tmp_path / "model", example.config_entries, example.architecture)
    wanted, light = load_model(folder).model, stored_tensors(folder)
    table = wanted.decoder.embedding.table.weight.detach().numpy()
    assert np.array_equal(light["transformer.wte.weight"].array(), table)
    told = asked(False)
    told["prefix"] = told["prefix"] % 40
    assert found(decode(FolderModel.open(folder), **as_arrays(told))) == found(decode(wanted, **told))


@needs_engine
def test_a_folder_that_is_damaged_is_left_to_torch_to_be_told_of(tmp_path):
    folder = saved("gpt2", tmp_path)
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 64]))
    with pytest.raises(Unsupported, match="damaged or changed"):
        FolderModel.open(folder)
    (folder / "manifest.json").unlink()
    weights.write_bytes(whole[:-64])
    with pytest.raises(Unsupported):
        FolderModel.open(folder)
    nan = np.frombuffer(whole[-4:], np.float32) * np.float32("nan")
    weights.write_bytes(whole[:-4] + nan.tobytes())
    with pytest.raises(Unsupported, match="not finite"):
        FolderModel.open(folder)
    config = json.loads((folder / "config.json").read_text())
    config["model"]["decoder"]["stack"]["layers"] = 3
    weights.write_bytes(whole)
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(Unsupported, match="is not in the folder"):
        FolderModel.open(folder)


@needs_engine
def test_what_cannot_be_meant_is_one_line(tmp_path):
    light = FolderModel.open(saved("marian", tmp_path))
    one = np.ones((1, 1), np.int64)
    with pytest.raises(ArgumentError, match="source is None, and the model reads one"):
        decode(light, None, prefix=one)
    with pytest.raises(ShapeError, match=r"source is of \(batch, tokens\)"):
        decode(light, np.ones(3), prefix=one)
    with pytest.raises(ShapeError, match="a mask is of bool"):
        decode(light, one, attention_mask=np.ones((1, 2)), prefix=one)
    with pytest.raises(ArgumentError, match="hides every token of row 0"):
        decode(light, one, prefix=one, prefix_attention_mask=~one.astype(bool))


def test_the_families_that_are_known_by_name_are_those_of_the_registry():
    for kind, (module, name) in HOMES.items():
        family, _ = folder_family({"model_type": kind, "architectures": [LAYOUTS[kind].architectures[0]]}, "config")
        assert family is LAYOUTS[kind], (module, name)


@pytest.mark.parametrize("layout", ["halves", "neighbours"])
@pytest.mark.parametrize("width", [6, 7, 256])
def test_waves_are_those_of_torch(layout, width):
    wanted = waves(torch.arange(3, 900), width, width / 2, layout).float().numpy()
    assert np.array_equal(Waves(width, layout, width / 2, 3).rows(897), wanted)


@pytest.mark.parametrize("scaling", [None, RopeScaling(4.0), RopeScaling(8.0, 8192, 1.0, 4.0)], ids=str)
@pytest.mark.parametrize(("width", "base"), [(6, 100.0), (64, 10000.0), (128, 500000.0)])
def test_rotations_are_those_of_torch_but_for_rounding(scaling, width, base):
    rates = Rotary(width, base, scaling=scaling).rates(torch.device("cpu"))
    found = Rotations(width, base, scaling)
    np.testing.assert_allclose(found.rates(), rates.numpy(), rtol=3e-7)
    angles = torch.arange(100)[:, None] * torch.from_numpy(found.rates())
    wanted = torch.cat([angles.cos(), angles.sin()], -1).numpy()
    np.testing.assert_allclose(found.rows(100), wanted, rtol=0, atol=2e-7)


@pytest.mark.parametrize("both_ways", [True, False])
def test_buckets_are_those_of_torch(both_ways):
    for buckets in (4, 8, 16, 32, 64, 320):
        for reach in (12, 20, 50, 100, 128, 256, 500, 800):
            if reach > buckets // (4 if both_ways else 2):
                wanted = bucket_of(torch.arange(-reach, reach + 1), buckets, reach, both_ways).numpy()
                assert np.array_equal(bucket_numbers(buckets, reach, both_ways), wanted), (buckets, reach)


def test_threads_are_as_many_as_torch_would_take(monkeypatch):
    assert thread_count() == torch.get_num_threads()
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert default_thread_count() == 3
    before = torch.get_num_threads()
    set_thread_count(5)
    assert thread_count() == torch.get_num_threads() == 5
    with monkeypatch.context() as without_torch:
        without_torch.delitem(sys.modules, "torch")
        assert thread_count() == 5
    set_thread_count(before)
    code = "import torch; from regard.engine import threads as own"
    code += "; print(torch.get_num_threads(), own.default_thread_count())"
    for count in ("", "2"):
        monkeypatch.setenv("OMP_NUM_THREADS", count)
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        torchs, ours = ran.stdout.split()
        assert torchs == ours
