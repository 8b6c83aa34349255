"""Folders with something wrong: a seed says which folder, and what was done to it."""

import json
import os
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from checkpoints.damage.sound import SoundFolder, as_json

from regard.families.options import BOOKKEEPING, GENERATION, TRAINING

VALUES: list[Any] = [
    None, True, False, -5, -1, 0, 1, 2, 3, 7, 1000, 65536, 1.5, -0.5, 2**31, 2**63, 10**12, 10**30, 1e30, -1e30, 1e-300,
    "", "no", "\0", "12", "a" * 2000, "\n\x1b[31m", [], [1], [[]], ["a"], {}, {"a": 1}, {"": {}}, [None] * 1000,
]  # fmt: skip
LITERALS = [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"0x10", b"'a'", b"9" * 5000, b'"\\ud800"', b"[" * 5000]
UNREAD = {
    *GENERATION, *TRAINING, *BOOKKEEPING, "n_ctx", "num_labels", "classifier_dropout", "max_window_layers",
    "vocab_list", "bos_token_id", "idx", "name", "word_embedding_dimension",
}  # fmt: skip
"""Keys of which some families read nothing: not known to be bad."""
ROLES = {"model_type", "architectures", "kind"}


@dataclass(frozen=True)
class Case:
    """What is in a folder: bytes by name, or a function that puts something else there. `is_bad`: it cannot do."""

    seed: int
    name: str
    does: str
    damage: str
    files: dict[str, bytes | Callable[[Path], None]]
    is_bad: bool

    def write(self, folder: Path) -> None:
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content) if isinstance(content, bytes) else content(path)


Damage = tuple[str, dict[str, Any], bool]
"""What was done, the files that it changed (None: taken away), and whether they cannot do any more."""


def make_case(seed: int, folders: list[SoundFolder]) -> Case:
    """The same case for the same seed."""
    draw = random.Random(seed)
    folder = draw.choice(folders)
    kinds = [kind for kind in DAMAGES if kind.fits(folder)]
    what, changes, is_bad = draw.choices(kinds, [kind.weight for kind in kinds])[0].damage(draw, folder)
    files = {name: content for name, content in {**folder.files, **changes}.items() if content is not None}
    return Case(seed, folder.name, folder.does, what, files, is_bad)


@dataclass(frozen=True)
class DamageKind:
    damage: Callable[[random.Random, SoundFolder], Damage]
    weight: int
    fits: Callable[[SoundFolder], bool] = lambda folder: True


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where values are in a value of JSON, the parts of parts included."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([path] if path else []), *(each for key, part in below for each in paths_of(part, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The same value with another one somewhere in it."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def is_nonsense(old: Any, new: Any) -> bool:
    """Whether a value cannot stand where another stood: of another kind, or past all bounds."""
    if old is None or new is None:
        return False
    if isinstance(old, bool):
        return not isinstance(new, bool)
    if isinstance(old, int):
        return (type(new) is not int and new is not None) or (type(new) is int and (new < -1 or new >= 2**31))
    if isinstance(old, float):
        return (type(new) not in (int, float) and new is not None) or (type(new) in (int, float) and abs(new) > 1e15)
    if isinstance(old, str):
        return new != ""
    return bool(new) and type(new) is not type(old)


def damage_config(draw: random.Random, folder: SoundFolder) -> Damage:
    """A value of config.json becomes another."""
    config = json.loads(folder.files["config.json"])
    path = draw.choice(paths_of(config))
    old = config
    for key in path:
        old = old[key]
    new = draw.choice(VALUES)
    unread = (UNREAD - ROLES) & {key for key in path if isinstance(key, str)} or "settings" in path or "pruned" in path
    named = f"config.json: {path} = {new!r:.60}"
    return named, {"config.json": as_json(replaced(config, path, new))}, is_nonsense(old, new) and not unread


def damage_config_keys(draw: random.Random, folder: SoundFolder) -> Damage:
    """A key is added, taken away or spelled otherwise."""
    config = json.loads(folder.files["config.json"])
    key = draw.choice(sorted(config))
    match draw.randrange(3):
        case 0:
            config["an_option" if draw.random() < 0.5 else "x\n" * 500] = draw.choice([1, True, "a"])
            return "config.json: another key", {"config.json": as_json(config)}, True
        case 1:
            del config[key]
            return f"config.json: no {key}", {"config.json": as_json(config)}, False
        case _:
            config[key.upper()] = config.pop(key)
            return f"config.json: {key} in capitals", {"config.json": as_json(config)}, False


def damage_json(draw: random.Random, folder: SoundFolder) -> Damage:
    """A file of JSON is none any more."""
    read = ["config.json", *(["generation_config.json"] if folder.does == "write" else [])]
    read += ["tokenizer.json", "tokenizer_config.json"] if folder.does != "look" else []
    file = draw.choice([name for name in read if name in folder.files])
    content = folder.files[file]
    first = content.index(b":") + 1
    kinds = {
        "a literal": lambda: content[:first] + draw.choice(LITERALS) + b"," + content[1:],
        "a key twice": lambda: b"{" + content[1:].split(b",")[0] + b"," + content[1:],
        "a mark before it": lambda: b"\xef\xbb\xbf" + content,
        "UTF-16": lambda: content.decode().encode("utf-16"),
        "other bytes": lambda: content.replace(b":", b': "\xff",', 1),
        "its end missing": lambda: content[: draw.randrange(len(content) - 1)],
        "more after it": lambda: content + b"}",
        "nested": lambda: b'{"a":' * 3000 + b"1" + b"}" * 3000,
        "a list": lambda: b"[" + content + b"]",
        "nothing": lambda: b"",
    }
    kind = draw.choice(sorted(kinds))
    # the package that reads tokenizer.json takes the last of two keys
    return f"{file}: {kind}", {file: kinds[kind]()}, (file, kind) != ("tokenizer.json", "a key twice")


LENGTHS = ("max_length", "max_new_tokens", "min_length", "min_new_tokens", "no_repeat_ngram_size")
PENALTIES = ("length_penalty", "repetition_penalty")
TOKENS = (
    *("eos_token_id", "pad_token_id", "bos_token_id", "decoder_start_token_id", "forced_bos_token_id"),
    "forced_eos_token_id",
)
WAYS = ("do_sample", "early_stopping", "bad_words_ids", "suppress_tokens", "begin_suppress_tokens", "capitals")
DRAWS = ("temperature", "top_k", "top_p", "min_p", "alignment")


def damage_generation(draw: random.Random, folder: SoundFolder) -> Damage:
    """A value of generation_config.json, or of config.json where there is no such file, becomes another."""
    key, value = draw.choice(["num_beams", *LENGTHS, *PENALTIES, *TOKENS, *WAYS, *DRAWS]), draw.choice(VALUES)
    samples, in_config = draw.random() < 0.5, draw.random() < 0.2
    file = "config.json" if in_config else "generation_config.json"
    settings = json.loads(folder.files[file]) | ({} if in_config else {"do_sample": samples}) | {key: value}
    changes: dict[str, Any] = {file: as_json(settings)} | ({"generation_config.json": None} if in_config else {})
    return f"{file}: {key} = {value!r:.60}, do_sample {samples}", changes, is_nonsense_of(key, value)


def is_nonsense_of(key: str, value: Any) -> bool:
    """Whether no text can be written so."""
    if value is None:
        return False
    if key == "num_beams" or key in LENGTHS:
        return type(value) is not int or not (key == "num_beams") <= value <= 10**6
    if key in PENALTIES:
        return type(value) not in (int, float) or abs(value) > 1e6
    if key in TOKENS:
        return type(value) not in (int, list) or (type(value) is int and (value < -1 or value >= 2**31))
    if key in ("bad_words_ids", "suppress_tokens"):
        return isinstance(value, str | dict | bool | float)
    return key in ("do_sample", "early_stopping") and not isinstance(value, bool)


def damage_tokenizer(draw: random.Random, folder: SoundFolder) -> Damage:
    """A value somewhere in tokenizer.json becomes another, or goes."""
    content = json.loads(folder.files["tokenizer.json"])
    path = draw.choice(paths_of(content))
    if draw.random() < 0.15:
        parent = content
        for key in path[:-1]:
            parent = parent[key]
        del parent[path[-1]]
        return f"tokenizer.json: no {path}", {"tokenizer.json": as_json(content)}, False
    value = draw.choice([*VALUES, *PARTS])
    is_number = "vocab" in path and path[-1] != "vocab"
    is_bad = is_number and type(value) is int and (value < 0 or value >= 2**31)
    named = f"tokenizer.json: {path} = {value!r:.60}"
    return named, {"tokenizer.json": as_json(replaced(content, path, value))}, is_bad


PARTS: list[Any] = [
    {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
    {"type": "Replace", "pattern": {"Regex": "(a*)*b"}, "content": ""},
    {"type": "Replace", "pattern": {"String": ""}, "content": "a"},
    {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": False},
    {"type": "Sequence", "normalizers": [{"type": "NFKC"}] * 1000},
    {"type": "Prepend", "prepend": "a" * 10_000},
    {"type": "Unigram", "unk_id": 5, "vocab": [["a", 0.0]]},
    {"type": "Unigram", "unk_id": None, "vocab": []},
    {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b"]]},
    {"type": "BPE", "vocab": {}, "merges": [], "byte_fallback": True},
    {"type": "WordPiece", "vocab": {"a": 2**32 - 1}, "unk_token": "x", "max_input_chars_per_word": 0},
    {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 5},
    {"strategy": {"Fixed": 10**9}, "direction": "Left", "pad_id": 0, "pad_type_id": 0, "pad_token": "x"},
    {"SpecialToken": {"id": "nowhere", "type_id": 0}},
    {"Sequence": {"id": "B", "type_id": 9}},
]


def damage_template(draw: random.Random, folder: SoundFolder) -> Damage:
    """The tokeniser tells of a segment, or of a token, that the model does not know."""
    content = json.loads(folder.files["tokenizer.json"])
    if draw.random() < 0.5:
        piece = draw.choice(content["post_processor"]["single"])
        next(iter(piece.values()))["type_id"] = draw.choice([7, 1 << 20, 2**32 - 1])
        return "tokenizer.json: a segment", {"tokenizer.json": as_json(content)}, folder.segments > 0
    token = draw.choice(sorted(content["post_processor"]["special_tokens"]))
    number = draw.choice([500, 1 << 20, 2**32 - 1])
    content["post_processor"]["special_tokens"][token]["ids"] = [number]
    # what stands after a prompt is taken away again
    is_bad = folder.does == "read" or folder.name.split("-")[0] in ("bart", "marian", "t5")
    return f"tokenizer.json: {token} is {number}", {"tokenizer.json": as_json(content)}, is_bad


SETTINGS = (
    *("tokenizer_config.json", "special_tokens_map.json", "sentence_bert_config.json", "modules.json", "vocab.json"),
    *("config_sentence_transformers.json", "1_Pooling/config.json"),
)


def damage_settings(draw: random.Random, folder: SoundFolder) -> Damage:
    """A value of a further file becomes another."""
    names = (
        "tokenizer_config.json",
        "special_tokens_map.json",
        "sentence_bert_config.json",
        "modules.json",
        "vocab.json",
    )
    names += ("config_sentence_transformers.json", "1_Pooling/config.json")
    file = draw.choice([name for name in names if name in folder.files])
    content = json.loads(folder.files[file])
    path, value = draw.choice(paths_of(content)), draw.choice(VALUES)
    return f"{file}: {path} = {value!r:.60}", {file: as_json(replaced(content, path, value))}, False


def parts(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The header of a file of safetensors, and its data."""
    (size,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def whole(header: Any, data: bytes, size: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if size is None else size) + text + data


def damage_header(draw: random.Random, folder: SoundFolder) -> Damage:
    """The header of the weights says something else of a tensor."""
    header, data = parts(folder.files["model.safetensors"])
    names = sorted(name for name in header if name != "__metadata__")
    name, other = draw.choice(names), draw.choice(names)
    begin, end = header[name]["data_offsets"]
    offsets = [[end, begin], [-8, end], [begin, 2**63], [begin + 1, end + 1], [begin], [], "a", [begin, len(data) + 8]]
    shapes = [[], [0], [-1, 3], [2**62, 2**62], [1] * 100, "a", [1.5], [*header[name]["shape"][::-1], 1], [end - begin]]
    kind = draw.choice(("data_offsets", "dtype", "shape", "overlap", "more", "less", "renamed", "metadata"))
    match kind:
        case "data_offsets" | "shape" | "dtype":
            header[name][kind] = draw.choice({"data_offsets": offsets, "shape": shapes, "dtype": TYPES}[kind])
        case "overlap":
            header[other]["data_offsets"] = header[name]["data_offsets"]
        case "more":
            header["more.weight"] = {"dtype": "F32", "shape": [1], "data_offsets": [len(data), len(data) + 4]}
            data += bytes(4)
        case "less":
            del header[name]
        case "renamed":
            header[draw.choice(["", "a" * 5000, "\n", name + ".0"])] = header.pop(name)
        case "metadata":
            header["__metadata__"] = draw.choice([None, 7, {"a": 1}, {"a": "b" * 10_000}])
    is_bad = kind != "metadata" and (kind, other) != ("overlap", name)
    return f"model.safetensors: {kind} of {name}", {"model.safetensors": whole(header, data)}, is_bad


TYPES = ["F16", "BF16", "F64", "I64", "I32", "I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F4", "C64", "X", 7]
HEADERS = [b"", b"[]", b"null", b"\xff\xfe", b'{"a":' * 5000, b"{" * 100_000, b'{"a": 1}', b"{}"]


def damage_weights(draw: random.Random, folder: SoundFolder) -> Damage:
    """The file of the weights is no such file any more, or its numbers are others."""
    content = folder.files["model.safetensors"]
    header, data = parts(content)
    names = sorted(name for name in header if name != "__metadata__")
    name, other = draw.choice(names), draw.choice(names)
    kind = draw.choice(("cut", "size", "header", "value", "twice", "bits"))
    match kind:
        case "cut":
            content = content[: draw.randrange(len(data))]
        case "size":
            content = whole(header, data, draw.choice([0, 1, 7, 1 << 30, 1 << 62, (1 << 64) - 1]))
        case "header":
            content = whole(draw.choice(HEADERS), data)
        case "value":
            begin, number = header[name]["data_offsets"][0], draw.choice([float("nan"), float("inf"), 3e38])
            content = whole(header, data[:begin] + struct.pack("<f", number) + data[begin + 4 :])
        case "twice":
            text = f"{{{json.dumps(name)}: {json.dumps(header[other])}, {json.dumps(header)[1:]}"
            content = whole(text.encode(), data)
        case "bits":
            changed = bytearray(content)
            for _ in range(draw.randrange(1, 4)):
                changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
            content = bytes(changed)
    return f"model.safetensors: {kind} {name}", {"model.safetensors": content}, kind in ("cut", "size", "header")


def damage_index(draw: random.Random, folder: SoundFolder) -> Damage:
    """Weights in several files, of which one is not what the index says."""
    header, data = parts(folder.files["model.safetensors"])
    header.pop("__metadata__", None)
    names = sorted(header)
    index: dict[str, Any] = {"weight_map": dict.fromkeys(names, "model-1.safetensors")}
    shard = {"model-1.safetensors": whole(header, data), "model.safetensors": None}
    kind = draw.choice(("sound", "path", "missing file", "missing tensor", "empty", "kind", "long"))
    match kind:
        case "path":
            index["weight_map"][names[0]] = draw.choice(
                ["../x.safetensors", "/etc/passwd", "", ".", "..", "a/b", "..\\a", "a\0b"]
            )
        case "missing file":
            index["weight_map"][names[0]] = "model-2.safetensors"
        case "missing tensor":
            index["weight_map"]["more.weight"] = "model-1.safetensors"
        case "empty":
            index["weight_map"] = draw.choice([{}, [], None, 7, "a"])
        case "kind":
            index["weight_map"][names[0]] = draw.choice([7, None, [], {}])
        case "long":
            index["weight_map"][names[0]] = "a" * 300
    return f"index: {kind}", {**shard, "model.safetensors.index.json": as_json(index)}, kind != "sound"


def damage_file(draw: random.Random, folder: SoundFolder) -> Damage:
    """Something else than a file stands in its place, or nothing."""
    name = draw.choice(sorted(folder.files))
    needed = ["config.json", "model.safetensors"]
    if "tokenizer.json" in folder.files:
        needed.append("tokenizer.json")
    kinds: dict[str, Callable[[Path], None] | bytes | None] = {
        "nothing": None,
        "a folder": lambda path: path.mkdir(),
        "a pipe": lambda path: os.mkfifo(path),
        "a link to itself": lambda path: path.symlink_to(path.name),
        "a device": lambda path: path.symlink_to("/dev/zero"),
        "a link out": lambda path: path.symlink_to("/etc/hostname"),
        "no bytes": b"",
        "zeros": bytes(1000),
    }
    kind = draw.choice(sorted(kinds))
    return f"{name}: {kind}", {name: kinds[kind]}, name in needed


def add_files(draw: random.Random, folder: SoundFolder) -> Damage:
    """Files that nobody reads."""
    name = draw.choice(["x" * 255, "modeling.py", ".hidden", "pytorch_model.bin", "a\nb", "preprocessor_config.json"])
    return f"another file: {name:.20}", {name: draw.choice([b"", b"{", bytes(100)])}, False


DAMAGES = [
    DamageKind(damage_config, 30),
    DamageKind(damage_config_keys, 4),
    DamageKind(damage_json, 8),
    DamageKind(
        damage_generation, 14, lambda folder: "generation_config.json" in folder.files and folder.does == "write"
    ),
    DamageKind(damage_tokenizer, 16, lambda folder: "tokenizer.json" in folder.files),
    DamageKind(
        damage_template, 4, lambda folder: "tokenizer.json" in folder.files and folder.does in ("read", "write")
    ),
    DamageKind(damage_settings, 8, lambda folder: "tokenizer_config.json" in folder.files),
    DamageKind(damage_header, 10),
    DamageKind(damage_weights, 6),
    DamageKind(damage_index, 4),
    DamageKind(damage_file, 6),
    DamageKind(add_files, 1),
]
