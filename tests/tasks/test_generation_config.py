"""How a folder says to write is read whole when it is loaded: what makes no sense is one line with file and key."""

import json

import pytest

from regard.errors import CheckpointError
from regard.tasks.generation_config import FolderGenerationConfig
from regard.text import Specials

BAD = [
    *(("num_beams", value) for value in (0, -1, 1.5, 100_000, True, "4", [4])),
    *(("max_length", value) for value in (-1, 10**12, 10**30, 20.0, "512", False)),
    *(("min_new_tokens", value) for value in (-1, 10**12, "1")),
    *(("length_penalty", value) for value in (1e30, -1e30, "1", True, [1.0])),
    *(("repetition_penalty", value) for value in (0, -1, 1e9, "1", {})),
    *(("eos_token_id", value) for value in (-5, 2**31, 1.0, "2", [1, -5], [[1]], True)),
    *(("decoder_start_token_id", value) for value in (-5, 2**31, "0")),
    *(("bad_words_ids", value) for value in ([7], [[]], [["a"]], [[-1]], "a", 7, [[2**31]])),
    *(("suppress_tokens", value) for value in ("a", [None], [1.5])),
    *(("do_sample", value) for value in ("no", 0, 1)),
    *(("early_stopping", value) for value in ("always", 1)),
    *(("no_repeat_ngram_size", value) for value in (-1, 2.5)),
    *(("capitals", value) for value in ("large", 7)),
    ("alignment", 7),
]
PUBLISHED = [
    {"num_beams": 6, "max_length": 512, "bad_words_ids": [[58100]], "forced_eos_token_id": 0, "eos_token_id": 0},
    {"max_length": 4096, "do_sample": True, "temperature": 0.6, "top_p": 0.9, "eos_token_id": [128001, 128008]},
    {"do_sample": False, "temperature": 0.0, "top_k": None, "pad_token_id": -1, "length_penalty": 2, "min_length": 56},
    {
        "early_stopping": "never",
        "no_repeat_ngram_size": 3,
        "begin_suppress_tokens": [220, 50256],
        "suppress_tokens": [],
    },
]


def folder_config(folder, config, **entries):
    (folder / "generation_config.json").write_text(json.dumps(entries))
    return FolderGenerationConfig(folder, config)


@pytest.mark.parametrize(("key", "value"), BAD, ids=str)
def test_a_value_that_makes_no_sense_names_its_file_and_key(tmp_path, key, value):
    with pytest.raises(CheckpointError) as caught:
        folder_config(tmp_path, {}, **{key: value})
    assert str(caught.value).startswith(f"{tmp_path / 'generation_config.json'}: {key} = ")
    (tmp_path / "generation_config.json").unlink()
    with pytest.raises(CheckpointError) as caught:
        FolderGenerationConfig(tmp_path, {key: value})
    assert str(caught.value).startswith(f"{tmp_path / 'config.json'}: {key} = ")


@pytest.mark.parametrize("key", ["temperature", "top_k", "top_p", "min_p"])
def test_how_to_draw_is_checked_where_texts_are_drawn(tmp_path, key):
    with pytest.raises(CheckpointError, match=rf"generation_config\.json: {key} = -1: "):
        folder_config(tmp_path, {}, do_sample=True, **{key: -1})
    settings = folder_config(tmp_path, {}, **{key: -1})
    with pytest.raises(CheckpointError, match=rf"generation_config\.json: {key} = -1: "):
        settings.generation_config(sample=True)


@pytest.mark.parametrize("entries", PUBLISHED, ids=str)
def test_what_published_folders_say_is_taken(tmp_path, entries):
    settings = folder_config(tmp_path, {"num_beams": 9}, **entries)
    assert settings.generation_config().beam == (1 if entries.get("do_sample") else entries.get("num_beams", 1))
    constraints = settings.constraints(Specials(eos=7))
    eos = entries.get("eos_token_id", 7)
    assert constraints.ends == (tuple(eos) if isinstance(eos, list) else (eos,))


def test_a_token_that_is_to_be_written_is_one_of_the_vocabulary(tmp_path):
    settings = folder_config(tmp_path, {}, decoder_start_token_id=40, forced_eos_token_id=[1, 2], bos_token_id=39)
    assert (settings.token("bos_token_id", 40), settings.token("forced_bos_token_id", 40)) == (39, None)
    for key in ("decoder_start_token_id", "forced_eos_token_id"):
        with pytest.raises(CheckpointError, match=rf"{key} = .*: one token, from 0 to 39, expected"):
            settings.token(key, 40)
