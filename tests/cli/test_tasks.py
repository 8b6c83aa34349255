"""The commands that ask a model, as they are typed.

Also tests: cli/classify.py, cli/convert.py, cli/embed.py, cli/fill.py.
"""

import json

import pytest
import torch
from click.testing import CliRunner
from tasks.tiny import BYTES, bert, gpt2, saved, transformers

import regard
from regard.checkpoints import CheckpointError
from regard.cli.main import regard as command
from regard.errors import RegardError
from regard.tasks import TextTooLong


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    labels = {"id2label": {0: "bad", 1: "good"}, "label2id": {"bad": 0, "good": 1}}
    bert("ForMaskedLM", folder / "fill")
    bert("ForSequenceClassification", folder / "classify", **labels)
    bert("ForTokenClassification", folder / "tags", **labels)
    bert("Model", folder / "embed")
    gpt2(folder / "generate")
    return folder


def run(*arguments, lines=None):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], input=lines)


def output(*arguments, lines=None):
    ran = run(*arguments, lines=lines)
    assert ran.exit_code == 0, ran.output
    return ran.output


def objects(*arguments, lines=None):
    return [json.loads(line) for line in output(*arguments, "--json", lines=lines).split("\n")[:-1]]


def test_fill_prints_the_text_and_its_choices(folders):
    expected = regard.load(folders / "fill")("the [MASK] sleeps", top=2)
    shown = output("fill", "-m", folders / "fill", "--top", "2", "the [MASK] sleeps").split("\n")
    assert shown[0] == expected.text
    assert shown[1].split() == ["gap", "1", f"{expected.score:.4f}", expected.tokens[0]]
    (found,) = objects("fill", "-m", folders / "fill", "the [MASK] sleeps")
    assert found["text"] == expected.text
    assert len(found["candidates"][0]) == 5


def roberta(kind, folder):
    """A RoBERTa whose vocabulary spells bytes as letters."""
    numbers = {token: number for number, token in enumerate(["<s>", "<pad>", "</s>", "<unk>", "<mask>", *BYTES])}
    small = {"vocab_size": len(numbers), "hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 3}
    config = transformers.RobertaConfig(**small, intermediate_size=32, max_position_embeddings=40)
    saved(getattr(transformers, f"Roberta{kind}")(config), folder)
    (folder / "vocab.json").write_text(json.dumps(numbers), encoding="utf-8")
    (folder / "merges.txt").write_text("#version: 0.2\n")
    return folder


def test_tokens_that_spell_bytes_are_printed_as_text(tmp_path):
    torch.manual_seed(3)
    shown = output("fill", "-m", roberta("ForMaskedLM", tmp_path / "fill"), "--top", "300", "a <mask>").split("\n")[
        1:-1
    ]
    words = [line.split()[3] for line in shown]
    assert len(set(words)) == len(shown) == 262
    assert {"·", "⏎", "<0xC3>", "<0xFF>", "a", "<mask>"} < set(words)
    shown = output("classify", "-m", roberta("ForTokenClassification", tmp_path / "tags"), "eü b").split("\n")
    assert [line.split("\t")[2] for line in shown[:-2]] == ["e", "<0xC3>", "<0xBC>", "·", "b"]


def test_lines_of_standard_input_are_texts(folders):
    found = objects("fill", "-m", folders / "fill", lines="the [MASK]\r\na [MASK] runs\n")
    assert [one["tokens"] for one in found] == [
        list(one.tokens) for one in regard.load(folders / "fill")(["the [MASK]", "a [MASK] runs"])
    ]


def test_classify_prints_labels(folders):
    (found,) = objects("classify", "-m", folders / "classify", "a good film")
    assert output("classify", "-m", folders / "classify", "a good film") == (
        f"{found['label']}\t{found['score']:.4f}\ta good film\n"
    )
    (pair,) = objects("classify", "-m", folders / "classify", "--pairs", "a good\tfilm")
    assert pair["text"] == ["a good", "film"]
    assert pair["scores"] != found["scores"]
    tags = output("classify", "-m", folders / "tags", "a good film")
    assert [line.split("\t")[2] for line in tags.split("\n")[:3]] == ["a", "good", "film"]


def test_embed_prints_vectors_or_how_alike_texts_are(folders):
    (found,) = objects("embed", "-m", folders / "embed", "a dog")
    shown = [float(number) for number in output("embed", "-m", folders / "embed", "a dog").split("\t")]
    assert shown == pytest.approx(found["vector"], rel=1e-5)
    lines = output("embed", "-m", folders / "embed", "--compare", "a dog", "a dog", "the cat").split("\n")
    assert lines[0] == "1.0000\ta dog"
    assert lines[1] == "1.0000\ta dog"
    assert float(lines[2].split("\t")[0]) < 1


def test_generate_prints_the_text_and_what_follows(folders):
    expected = regard.load(folders / "generate")("the", max_new_tokens=5)
    assert output("generate", "-m", folders / "generate", "--max-new-tokens", "5", "the") == f"the{expected.text}\n"
    (found,) = objects("generate", "-m", folders / "generate", "--max-new-tokens", "5", "the")
    assert found["ids"] == list(expected.ids)


def test_models_lists_folders(folders):
    rows = [line.split() for line in output("models", folders).split("\n")[:-1]]
    assert rows[0] == ["name", "where", "task", "architecture", "parameters", "size", "licence", "scores"]
    assert [row[0] for row in rows[1:]] == ["classify", "embed", "fill", "generate", "tags"]
    assert [row[2] for row in rows[1:]] == ["classify", "embed", "fill", "generate", "classify"]
    assert {model["name"]: model["parameters"] for model in json.loads(output("models", folders, "--json"))}["fill"] > 0


def test_convert_writes_a_new_folder(folders, tmp_path):
    assert output("convert", folders / "fill", tmp_path / "out") == f"wrote {tmp_path / 'out'}\n"
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert isinstance(run("convert", folders / "fill", tmp_path / "out").exception, CheckpointError)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "pytorch_model.bin").write_bytes(b"")
    ran = run("convert", tmp_path / "old", tmp_path / "new")
    assert isinstance(ran.exception, CheckpointError)
    assert "--allow-pickle" in str(ran.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["classify", "a"], "Missing option '--model'"),
        (["fill", "-m", "x", "--top", "0", "a"], "0 is not in the range"),
        (["classify", "-m", "x", "--pairs", "no tab"], "text 1 is no pair: a tab expected"),
        (["convert", "x"], "OUT, a new folder, or --to FORMAT expected"),
    ],
)
def test_wrong_usage_exits_with_2(arguments, message):
    ran = run(*arguments)
    assert ran.exit_code == 2
    assert message in ran.output


def test_errors_are_ours(folders):
    ran = run("classify", "-m", folders / "classify", "the " * 50)
    assert isinstance(ran.exception, TextTooLong)
    assert output("classify", "--cut", "-m", folders / "classify", "the " * 50)
    ran = run("fill", "-m", folders / "fill", lines=b"fine [MASK]\n\xff\n")
    assert isinstance(ran.exception, RegardError)
    assert str(ran.exception) == "line 2 of standard input is not UTF-8"
