"""Translations of the test set by other programs, from what `regard convert --to` wrote for them."""

import atexit
import json
import tempfile
from functools import cache
from pathlib import Path

import pytest
from builtin.shipped import folder, pairs
from tokenizers import Tokenizer

from regard.checkpoints.export import export

ROWS = 64  # texts at a time


@cache
def exported(name: str, to: str) -> Path:
    home = tempfile.TemporaryDirectory(prefix=f"regard-{name}-{to}-")
    atexit.register(home.cleanup)
    return export(folder(name), Path(home.name) / "model", to)


@cache
def ctranslate2(name: str, precision: str = "float32") -> list[str]:
    library = pytest.importorskip("ctranslate2")
    where = exported(name, "ctranslate2")
    program = library.Translator(str(where), compute_type=precision, intra_threads=1)
    coder = Tokenizer.from_file(str(where / "tokenizer.json"))
    read = [coder.encode(text).tokens for text in pairs(name)[0]]
    penalty = json.loads((where / "generation_config.json").read_text(encoding="utf-8"))["length_penalty"]
    written = program.translate_batch(
        read, beam_size=4, length_penalty=penalty, max_decoding_length=127, max_batch_size=ROWS
    )
    return [coder.decode([coder.token_to_id(token) for token in one.hypotheses[0]]) for one in written]


@cache
def transformers(name: str) -> list[str]:
    library = pytest.importorskip("transformers")
    library.logging.set_verbosity_error()
    library.logging.disable_progress_bar()
    where = exported(name, "marian")
    model = library.AutoModelForSeq2SeqLM.from_pretrained(where).eval()
    tokenizer = library.AutoTokenizer.from_pretrained(where)
    found, sources = [], pairs(name)[0]
    for begin in range(0, len(sources), ROWS):
        read = tokenizer(sources[begin : begin + ROWS], return_tensors="pt", padding=True)
        written = model.generate(**read, num_beams=4, early_stopping=True)
        found += tokenizer.batch_decode(written, skip_special_tokens=True)
    return found
