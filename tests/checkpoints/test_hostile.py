"""A folder is read with distrust: whatever is wrong is one line that names the file or the tensor.

Also tests: checkpoints/files.py, checkpoints/tensors.py.
"""

import json
import os
import shutil
import struct
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file

from regard.checkpoints import CheckpointError, load_model, save_model
from regard.checkpoints.files import checked_file
from regard.models import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    Encoder,
    EncoderConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)

TABLE = "bert.embeddings.word_embeddings.weight"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A tiny BERT in a folder of our own."""
    stack = StackConfig(
        layers=2, width=12, attention=AttentionConfig(heads=3), feed_forward=FeedForwardConfig(20, "gelu"),
        norm=NormConfig("layer", 1e-12), pre_norm=False, final_norm=False,
    )  # fmt: skip
    words = EmbeddingConfig(31, segments=2, norm=True)
    side = EmbeddedStackConfig(words, stack, PositionConfig("learned", {"length": 16, "width": 12}))
    model = Encoder(EncoderConfig(side, output=OutputConfig(bias=True, transform="gelu")))
    folder = tmp_path_factory.mktemp("saved") / "model"
    return save_model(model, folder, {"model_type": "bert"}, "BertForMaskedLM")


@pytest.fixture
def folder(saved, tmp_path):
    """A copy, without the sums: as others save theirs."""
    shutil.copytree(saved, tmp_path / "model")
    (tmp_path / "model" / "manifest.json").unlink()
    return tmp_path / "model"


def refused(folder, *named):
    """Loading fails with one line that holds these words."""
    with pytest.raises(CheckpointError) as caught:
        load_model(folder)
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 1000
    for name in named:
        assert name in line
    return line


def changed(folder, **changes):
    """Another config.json; None takes a key out."""
    config = json.loads((folder / "config.json").read_text()) | changes
    config = {key: value for key, value in config.items() if value is not None}
    (folder / "config.json").write_text(json.dumps(config))


def rewritten(folder, header, data=b"", length=None):
    """A safetensors file with this header."""
    header = header if isinstance(header, bytes) else json.dumps(header).encode()
    size = struct.pack("<Q", len(header) if length is None else length)
    (folder / "model.safetensors").write_bytes(size + header + data)


def parts(folder):
    content = (folder / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def test_the_folder_itself_loads(folder, saved):
    tokens = torch.tensor([[3, 4, 5]])
    assert torch.equal(load_model(folder).model(tokens), load_model(saved).model(tokens))


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 9, 300, -1])
def test_a_truncated_file_is_named(folder, kept):
    for file in ("model.safetensors", "config.json"):
        content = (folder / file).read_bytes()
        (folder / file).write_bytes(content[: kept if file == "model.safetensors" else len(content) // 2])
        refused(folder, file)


@pytest.mark.parametrize("length", [1 << 30, 1 << 62, (1 << 64) - 1])
def test_a_header_that_claims_to_be_huge_is_refused(folder, length):
    rewritten(folder, b"{}", length=length)
    refused(folder, "model.safetensors")


def test_a_header_that_is_huge_is_refused_unread(folder):
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", 1 << 30))
        file.truncate((1 << 30) + 64)  # sparse: takes no room
    refused(folder, "model.safetensors")


def overlapping(header):
    first, second = [name for name in header if name != "__metadata__"][:2]
    header[second]["data_offsets"] = header[first]["data_offsets"]


def overflowing(header):
    header[TABLE]["data_offsets"][1] = 1 << 63


def past_the_end(header):
    header[TABLE]["data_offsets"] = [offset + (1 << 20) for offset in header[TABLE]["data_offsets"]]


def backwards(header):
    header[TABLE]["data_offsets"].reverse()


def negative(header):
    header[TABLE]["data_offsets"][0] = -8


def another_shape(header):
    header[TABLE]["shape"] = [31, 13]


def endless_shape(header):
    header[TABLE]["shape"] = [1 << 62, 1 << 62]


def unknown_type(header):
    header[TABLE]["dtype"] = "OBJECT"


def no_offsets(header):
    del header[TABLE]["data_offsets"]


def with_a_hole(header):
    del header[TABLE]


@pytest.mark.parametrize(
    "spoil",
    [
        overlapping, overflowing, past_the_end, backwards, negative, another_shape, endless_shape, unknown_type,
        no_offsets, with_a_hole,
    ],
)  # fmt: skip
def test_a_hostile_header_is_refused(folder, spoil):
    header, data = parts(folder)
    spoil(header)
    rewritten(folder, header, data)
    refused(folder, "model.safetensors")


@pytest.mark.parametrize("header", [b"", b"[]", b"null", b"\xff\xfe", b'{"a":' * 5000, b"{" * 100_000, b'{"a": 1}'])
def test_a_header_that_is_none_is_refused(folder, header):
    rewritten(folder, header)
    refused(folder, "model.safetensors")


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"a":' * 100_000, "{" + '"a": {' * 3000 + "}" * 3001, "9" * 10_000]
)
def test_a_bomb_of_nested_json_is_refused(folder, content):
    (folder / "config.json").write_text(content)
    refused(folder, "config.json")
    changed_index(folder, content)
    refused(folder, "config.json")


def changed_index(folder, content):
    (folder / "model.safetensors.index.json").write_text(content)


def sharded(folder):
    """The weights in two files, and the index that names them."""
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    index = {}
    for number, names in enumerate([sorted(tensors)[::2], sorted(tensors)[1::2]]):
        file = f"model-{number}.safetensors"
        save_file({name: tensors[name] for name in names}, folder / file)
        index |= dict.fromkeys(names, file)
    changed_index(folder, json.dumps({"metadata": {}, "weight_map": index}))
    return index


def test_sharded_weights_load(folder, saved):
    sharded(folder)
    tokens = torch.tensor([[3, 4, 5]])
    assert torch.equal(load_model(folder).model(tokens), load_model(saved).model(tokens))


@pytest.mark.parametrize(
    "name", ["../outside.safetensors", "/etc/passwd", "", ".", "..", "a/b", "..\\up", "a\0b", "nowhere.safetensors", 7]
)
def test_a_shard_is_a_file_of_the_folder(folder, name):
    index = sharded(folder)
    shutil.copy(folder / "model-0.safetensors", folder.parent / "outside.safetensors")
    changed_index(folder, json.dumps({"weight_map": index | {TABLE: name}}))
    refused(folder, str(folder.name))


@pytest.mark.parametrize("content", ["{}", '{"weight_map": []}', '{"weight_map": {}}', "[" * 100_000])
def test_a_broken_index_is_named(folder, content):
    sharded(folder)
    changed_index(folder, content)
    refused(folder, "model")


def test_shards_that_lack_a_promised_tensor_are_told(folder):
    index = sharded(folder)
    changed_index(folder, json.dumps({"weight_map": index | {"more.weight": "model-0.safetensors"}}))
    refused(folder, "the shards lack more.weight")


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_a_link_out_of_the_folder_is_not_followed(folder, file):
    os.rename(folder / file, folder.parent / "outside")
    (folder / file).symlink_to(folder.parent / "outside")
    refused(folder, file, "outside the folder")


def test_links_inside_the_hub_cache_are_followed(folder, tmp_path):
    snapshot, blobs = tmp_path / "cache" / "snapshots" / "abc", tmp_path / "cache" / "blobs"
    snapshot.mkdir(parents=True)
    blobs.mkdir()
    for file in folder.iterdir():
        shutil.copy(file, blobs / f"{file.name}-sum")
        (snapshot / file.name).symlink_to(f"../../blobs/{file.name}-sum")
    (snapshot / "1_Pooling").mkdir()
    (snapshot / "1_Pooling" / "config.json").symlink_to("../../../blobs/config.json-sum")
    assert checked_file(snapshot / "1_Pooling" / "config.json")
    assert load_model(snapshot).architecture == "BertForMaskedLM"
    (snapshot / "config.json").unlink()
    (snapshot / "config.json").symlink_to(folder / "config.json")
    refused(snapshot, "config.json", "outside the folder")


def test_a_pipe_is_not_waited_for(folder):
    (folder / "config.json").unlink()
    os.mkfifo(folder / "config.json")
    refused(folder, "config.json")


def test_code_is_never_run(folder, tmp_path, monkeypatch):
    (folder / "modeling.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    changed(folder, auto_map={"AutoModel": "modeling.Model"})
    refused(folder, "config.json", "auto_map", "never")
    assert not (tmp_path / "ran").exists()
    assert "modeling" not in sys.modules


def test_a_pickle_is_not_opened(folder, tmp_path):
    class Harm:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    (folder / "model.safetensors").unlink()
    torch.save({TABLE: Harm()}, folder / "pytorch_model.bin")
    refused(folder, "model.safetensors", "regard convert --allow-pickle")
    assert not (tmp_path / "ran").exists()


def tensors_of(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


def test_missing_extra_and_misshapen_tensors_are_named(folder):
    tensors_of(folder, lambda tensors: tensors.pop(TABLE))
    refused(folder, "missing", TABLE)
    tensors_of(folder, lambda tensors: tensors.update({TABLE: torch.zeros(31, 13)}))
    refused(folder, TABLE, "(31, 13)", "(31, 12)")
    tensors_of(folder, lambda tensors: tensors.update({TABLE: torch.zeros(31, 12), "bert.more": torch.zeros(1)}))
    refused(folder, "unknown", "bert.more")


def test_a_part_of_another_shape_is_named(folder):
    name = "bert.encoder.layer.0.attention.self.query.weight"
    tensors_of(folder, lambda tensors: tensors.update({name: torch.zeros(12, 7)}))
    refused(folder, name)
    tensors_of(folder, lambda tensors: tensors.update({name: torch.zeros(())}))
    refused(folder, name)


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_a_number_that_is_none_is_found(folder, value):
    def spoil(tensors):
        tensors[TABLE][7, 3] = value

    tensors_of(folder, spoil)
    refused(folder, TABLE, "not finite")


def test_whole_numbers_are_no_weights(folder):
    tensors_of(folder, lambda tensors: tensors.update({TABLE: torch.zeros(31, 12, dtype=torch.int64)}))
    refused(folder, TABLE, "int64")


@pytest.mark.parametrize(
    "changes",
    [
        {"hidden_size": 0}, {"hidden_size": -12}, {"hidden_size": "12"}, {"hidden_size": 1e300}, {"hidden_size": None},
        {"num_attention_heads": 0}, {"num_attention_heads": 5}, {"num_attention_heads": [3]}, {"vocab_size": 10**15},
        {"num_hidden_layers": 10**9}, {"num_hidden_layers": -1}, {"num_hidden_layers": {}}, {"hidden_act": "exec"},
        {"hidden_act": ["gelu"]}, {"layer_norm_eps": "small"}, {"model_type": "evil"}, {"model_type": ["bert"]},
        {"architectures": ["Evil"]}, {"architectures": "BertModel"}, {"architectures": [["BertForMaskedLM"]]},
        {"intermediate_size": 10**30}, {"hidden_dropout_prob": 7}, {"an_option": True}, {"id2label": 7},
        {"eos_token_id": -5}, {"eos_token_id": 2**31}, {"pad_token_id": "0"}, {"bos_token_id": [1, -2]},
        {"layer_norm_eps": 1e30}, {"layer_norm_eps": -1e-12}, {"layer_norm_eps": 0}, {"architectures": 7},
        {"architectures": {"a": 1}}, {"num_hidden_layers": 0}, {"num_hidden_layers": 1024}, {"num_attention_heads": 7},
        {"tie_word_embeddings": "no"}, {"tie_word_embeddings": 1}, {"is_decoder": 0}, {"hidden_size": 24},
        {"vocab_size": 30}, {"vocab_size": 32}, {"type_vocab_size": -1}, {"max_position_embeddings": 0},
        {"pruned_heads": {"0": [7]}}, {"pruned_heads": {"0": 1}}, {"pruned_heads": [1]}, {"pruned": {"x" * 500: [0]}},
        {"a" * 5000: 1}, {"an\noption": 1}, {"hidden_act": "a" * 5000}, {"model_type": "b" * 5000},
    ],
    ids=str,
)  # fmt: skip
def test_a_config_that_makes_no_sense_is_named(folder, changes):
    changed(folder, **changes)
    line = refused(folder, str(folder.name))
    assert len(line) < 500 + len(str(folder))


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "manifest.json"])
def test_one_flipped_bit_is_found(saved, tmp_path, file):
    shutil.copytree(saved, tmp_path / "model")
    content = (saved / file).read_bytes()
    for position in (0, len(content) // 3, len(content) // 2, len(content) - 3):
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 7
        (tmp_path / "model" / file).write_bytes(flipped)
        refused(tmp_path / "model", "model")
    (tmp_path / "model" / file).write_bytes(content)
    assert load_model(tmp_path / "model").architecture == "BertForMaskedLM"


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"config.json": 7}', '{"../x": {}}', "[" * 100_000, '{"/etc/passwd": {}}']
)
def test_a_hostile_manifest_is_refused(saved, tmp_path, content):
    shutil.copytree(saved, tmp_path / "model")
    (tmp_path / "model" / "manifest.json").write_text(content)
    refused(tmp_path / "model", "manifest.json")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    refused(tmp_path / "nowhere", "nowhere: no such folder")


def test_saving_does_not_replace_what_is_no_checkpoint(saved, tmp_path):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("dear")
    loaded = load_model(saved)
    with pytest.raises(CheckpointError, match="letters: already there, and no checkpoint"):
        save_model(loaded.model, tmp_path / "letters", loaded.config, loaded.architecture)
    assert (tmp_path / "letters" / "dear.txt").read_text() == "dear"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letters"]
    save_model(loaded.model, tmp_path / "new", loaded.config, loaded.architecture)
    save_model(loaded.model, tmp_path / "new", loaded.config, loaded.architecture)
