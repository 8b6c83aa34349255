"""What is exported runs in the program that it is for, and writes what we write.

Also tests: checkpoints/export/ctranslate2.py, checkpoints/export/export_source.py, checkpoints/export/graph.py,
checkpoints/export/marian.py, checkpoints/export/onnx.py.
"""

import pytest
import tokenizers
import torch
from checkpoints.export.small import MODELS, TEXTS, Onnx
from tasks.tiny import gpt2, transformers
from tasks.translators import small

import regard
from regard.checkpoints import CheckpointError
from regard.checkpoints.export import FORMATS, export
from regard.decoding import Constraints, decode
from regard.errors import UnknownName

BEAMS = (1, 4)
LONGEST = 39


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return {name: make(tmp_path_factory.mktemp(name) / "model") for name, make in MODELS.items()}


@pytest.fixture(scope="module")
def translator(folders):
    return regard.load(folders["marian"])


@pytest.fixture(scope="module")
def ours(translator):
    """Our translations for each beam."""
    found = {beam: [one.text for one in translator(TEXTS, beam=beam)] for beam in BEAMS}
    assert len(set(found[4])) == len(TEXTS)
    assert len(set(map(len, found[4]))) > 2
    return found


def sources(task):
    """The token ids of the texts, and which of them are no padding."""
    ids = [task.tokenizer.encode(text).ids for text in TEXTS]
    width = max(map(len, ids))
    tokens = torch.tensor([[*one, *[task.tokenizer.specials.pad] * (width - len(one))] for one in ids])
    return tokens, torch.tensor([[position < len(one) for position in range(width)] for one in ids])


def test_transformers_writes_what_we_write(folders, ours, tmp_path):
    export(folders["marian"], tmp_path / "out", "marian")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "out").eval()
    assert type(model) is transformers.MarianMTModel
    assert model.dtype == torch.float32
    read = tokenizer(TEXTS, return_tensors="pt", padding=True)
    for beam in BEAMS:
        written = model.generate(**read, num_beams=beam, early_stopping=beam > 1)
        assert tokenizer.batch_decode(written, skip_special_tokens=True) == ours[beam]


def test_ctranslate2_writes_what_we_write(folders, translator, ours, tmp_path):
    library = pytest.importorskip("ctranslate2")
    export(folders["marian"], tmp_path / "out", "ctranslate2")
    program = library.Translator(str(tmp_path / "out"), compute_type="float32", intra_threads=1)
    coder = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    for beam in BEAMS:
        written = program.translate_batch(
            [coder.encode(text).tokens for text in TEXTS], beam_size=beam, max_decoding_length=LONGEST
        )
        ids = [[coder.token_to_id(token) for token in one.hypotheses[0]] for one in written]
        assert [coder.decode(one) for one in ids] == ours[beam]


def test_onnx_writes_what_we_write(folders, translator, ours, tmp_path):
    export(folders["marian"], tmp_path / "out", "onnx")
    tokens, attention_mask = sources(translator)
    prefix = torch.full((len(TEXTS), 1), translator.processor.start())
    rules = Constraints(ends=(translator.tokenizer.specials.eos,))
    for beam in BEAMS:
        asked = {
            "attention_mask": attention_mask,
            "prefix": prefix,
            "beam": beam,
            "max_new_tokens": LONGEST,
            "constraints": rules,
        }
        found = decode(Onnx(tmp_path / "out"), tokens, **asked)
        assert [translator.tokenizer.decode(one.best.ids) for one in found] == ours[beam]


@pytest.mark.parametrize("name", MODELS)
def test_onnx_scores_a_step_as_the_model_does(folders, name, tmp_path):
    export(folders[name], tmp_path / "out", "onnx")
    task = regard.load(folders[name])
    graphs, (tokens, attention_mask) = Onnx(tmp_path / "out"), sources(task)
    written = torch.randint(5, 200, (len(TEXTS), 4))
    found = graphs.step(graphs.start(tokens, attention_mask), written)[0][:, 0]
    with torch.no_grad():
        expected = task.model(tokens, written, attention_mask=attention_mask)[:, -1]
    banned = found < -1e8
    assert banned.sum(1).tolist() == [name != "bart"] * len(TEXTS)  # padding, where the folder forbids it
    torch.testing.assert_close(found[~banned], expected[~banned], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_ctranslate2_finds_a_text_as_likely_as_the_model_does(folders, name, tmp_path):
    library = pytest.importorskip("ctranslate2")
    export(folders[name], tmp_path / "out", "ctranslate2")
    program = library.Translator(str(tmp_path / "out"), compute_type="float32", intra_threads=1)
    task = regard.load(folders[name])
    tokens, attention_mask = sources(task)
    written = torch.randint(5, 200, (len(TEXTS), 4))
    read = [task.tokenizer.tokens(row[keep].tolist()) for row, keep in zip(tokens, attention_mask, strict=True)]
    told = program.score_batch([*map(list, read)], [list(task.tokenizer.tokens(row.tolist())) for row in written])
    start = torch.full((len(TEXTS), 1), task.processor.start())
    with torch.no_grad():
        scores = task.model(tokens, torch.cat([start, written], 1), attention_mask=attention_mask)
    banned = [word[0] for word in task.processor.settings.phrases]
    likely = scores.index_fill(-1, torch.tensor(banned, dtype=torch.long), -torch.inf).log_softmax(-1)
    end = torch.full((len(TEXTS), 1), task.tokenizer.specials.eos)
    expected = likely.gather(-1, torch.cat([written, end], 1)[..., None])[..., 0]
    torch.testing.assert_close(torch.tensor([one.log_probs for one in told]), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("to", FORMATS)
def test_the_tokeniser_and_the_manner_of_writing_go_along(folders, to, tmp_path):
    export(folders["marian"], tmp_path / "out", to)
    for name in ("tokenizer.json", "generation_config.json", "README.md"):
        assert (tmp_path / "out" / name).read_bytes() == (folders["marian"] / name).read_bytes()
    with pytest.raises(CheckpointError, match="out: already there"):
        export(folders["marian"], tmp_path / "out", to)
    assert {path.name for path in tmp_path.iterdir() if path.name.startswith(".")} == set()


def test_what_a_format_cannot_say_is_named(folders, tmp_path, monkeypatch):
    gpt2(tmp_path / "gpt2")
    small("t5", tmp_path / "t5", 300)
    (tmp_path / "t5" / "tokenizer.json").write_bytes((folders["marian"] / "tokenizer.json").read_bytes())
    with pytest.raises(UnknownName, match="unknown format 'onx': did you mean 'onnx'"):
        export(folders["marian"], tmp_path / "out", "onx")
    with pytest.raises(CheckpointError, match="GPT2LMHeadModel is no translator"):
        export(tmp_path / "gpt2", tmp_path / "out", "onnx")
    with pytest.raises(CheckpointError, match=r"no words for .*decoder\.norm = rms"):
        export(tmp_path / "t5", tmp_path / "out", "ctranslate2")
    with pytest.raises(CheckpointError, match="T5ForConditionalGeneration is no MarianMTModel"):
        export(tmp_path / "t5", tmp_path / "out", "marian")
    monkeypatch.setattr("regard.checkpoints.export.find_spec", lambda name: None)
    with pytest.raises(CheckpointError, match=r"onnx is not installed: pip install 'regard\[onnx\]'"):
        export(folders["marian"], tmp_path / "out", "onnx")
    assert not (tmp_path / "out").exists()
