"""What the tests of the page stand on: four small models behind `regard see`, and a browser that looks at them."""

import json
import re
import time
import urllib.request
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
import torch
from browsing import Visit, browsing, serving

from regard.checkpoints import save_model
from regard.models import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
    Transformer,
    TransformerConfig,
)


@dataclass(eq=False)
class Site:
    """A server, the folders of its models, and a browser."""

    base: str
    folders: dict[str, Path]
    browser: Any

    @cache  # noqa: B019  (one site a session)
    def task(self, name: str) -> Any:
        """The model that the server asks, in this process: what the library says of it, the page has to show."""
        import regard

        return regard.load(self.folders.get(name, name))


@pytest.fixture(scope="session")
def folders(tmp_path_factory) -> dict[str, Path]:
    """A translator of twenty words and another of its shape, a BERT that fills gaps, a GPT that reads 1,024 letters;
    all random."""
    from tasks.tiny import bert, gpt2

    root = tmp_path_factory.mktemp("models")
    made = {name: root / name for name in ("translator", "tuned", "bert", "gpt")}
    translator(made["translator"], root / "tokenizer.json")
    translator(made["tuned"], root / "tokenizer.json", seed=8)
    bert("ForMaskedLM", made["bert"])
    gpt2(made["gpt"], n_positions=1024)
    return made


def translator(folder: Path, words: Path, seed: int = 7) -> None:
    """Two layers of four heads that write German words in no order."""
    known = [
        "<pad>",
        "</s>",
        "<unk>",
        "where",
        "is",
        "the",
        "station",
        "?",
        "a",
        "dog",
        "cat",
        "wo",
        "ist",
        "der",
        "bahnhof",
        "ein",
        "hund",
        "eine",
        "katze",
    ]
    reader = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: n for n, word in enumerate(known)}, "<unk>"))
    reader.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    reader.decoder = tokenizers.decoders.WordPiece("##")
    end = tokenizers.processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 1)])
    reader.post_processor = end
    reader.add_special_tokens(["<pad>", "</s>"])
    reader.save(str(words))
    torch.manual_seed(seed)
    stack = StackConfig(2, 32, AttentionConfig(4), FeedForwardConfig(64, "relu"), pre_norm=False, final_norm=False)
    side = EmbeddedStackConfig(
        EmbeddingConfig(len(known)), stack, PositionConfig("sinusoidal", {"width": 32, "layout": "halves"})
    )
    model = Transformer(TransformerConfig(side, side, OutputConfig(bias=True)))
    with torch.no_grad():
        for block in (*model.encoder.stack.blocks, *model.decoder.stack.blocks):
            for weight in (each for each in block.parameters() if each.dim() > 1):
                weight.mul_(2)  # so that what is looked at decides what is written
    config = {"model_type": "marian", "decoder_start_token_id": 0, "eos_token_id": 1, "pad_token_id": 0}
    save_model(model, folder, config, "MarianMTModel", files=[words])
    settings = {"num_beams": 4, "max_length": 10, "bad_words_ids": [[0], [2]], "no_repeat_ngram_size": 1}
    (folder / "generation_config.json").write_text(json.dumps(settings))
    (folder / "manifest.json").unlink()  # it has the sums of the files that were there before


@pytest.fixture(scope="session")
def site(folders):
    with browsing() as browser, serving(*folders.values()) as base:
        ready(base)
        yield Site(base, folders, browser)


def ready(base: str) -> None:
    """Wait until the first model is there: on a busy machine torch alone takes longer than a page is waited for."""
    for _ in range(600):
        with urllib.request.urlopen(f"{base}api/models") as answer:
            told = json.load(answer)
        if any(model["name"] == told["first"] and model["state"] == "ready" for model in told["models"]):
            return
        time.sleep(0.5)
    raise AssertionError("the first model was not loaded in five minutes")


@pytest.fixture
def visit(site):
    """A fresh page; at the end nothing may have gone wrong on it, and nobody else was asked for anything."""
    context = site.browser.new_context(viewport={"width": 1200, "height": 900}, accept_downloads=True)
    seen = Visit(context.new_page(), site.base)
    yield seen
    context.close()
    assert seen.faults == []
    assert [url for url in seen.asked if not re.match(rf"{site.base}|about:|blob:", url)] == []
