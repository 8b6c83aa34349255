"""`regard translate` and `regard generate` as they are typed, piped and interrupted.

Also tests: cli/generate.py, cli/texts.py, cli/translate.py.
"""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from tasks.tiny import bart, gpt2
from tasks.translators import small
from text.pieces import marian_files

import regard
from regard.cli import texts as reading
from regard.cli.main import regard as command
from regard.errors import RegardError

LINES = ["the dog sleeps .", "", "where is the station ?", "  ", "a cat"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("writers")
    bart(folder / "bart", max_length=10)
    gpt2(folder / "gpt2")
    (folder / "marian").mkdir()
    small("marian", folder / "marian", len(marian_files(folder / "marian")))
    return folder


@pytest.fixture(scope="module")
def translate(folders):
    return regard.load(folders / "bart")


def run(*arguments, lines=None):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], input=lines)


def output(*arguments, lines=None):
    ran = run(*arguments, lines=lines)
    assert ran.exit_code == 0, (ran.output, ran.exception)
    return ran.stdout


def on_one_line(text):
    return " ".join(text.splitlines())


def test_a_line_in_is_a_line_out(folders, translate, tmp_path):
    whole = "\n".join(LINES) + "\n"
    expected = [on_one_line(one.text) for one in translate(LINES, max_new_tokens=6)]
    found = output("translate", "-m", folders / "bart", "--max-new-tokens", "6", lines=whole)
    assert found.split("\n")[:-1] == expected
    assert (found.split("\n")[1], found.split("\n")[3]) == ("", "  ")
    (tmp_path / "in.txt.gz").write_bytes(gzip.compress(whole.replace("\n", "\r\n").removesuffix("\r\n").encode()))
    told = ["--input", tmp_path / "in.txt.gz", "--output", tmp_path / "out.txt"]
    assert output("translate", "-m", folders / "bart", "--max-new-tokens", "6", *told) == ""
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == found


def test_chunks_keep_order_and_numbers(folders, translate, monkeypatch):
    monkeypatch.setattr(reading, "LINES", 2)
    lines = "\n".join(LINES)
    found = output("translate", "-m", folders / "bart", "--max-new-tokens", "6", lines=lines).split("\n")[:-1]
    assert found == [on_one_line(one.text) for one in translate(LINES, max_new_tokens=6)]
    ran = run("translate", "-m", folders / "bart", lines="a\na\na\n" + "x" * 60)
    assert "text 4 has 62 tokens" in str(ran.exception)


def test_several_hypotheses_are_rows(folders, translate):
    best = translate("a cat", beam=3, num_hypotheses=2, max_new_tokens=5)
    rows = output(
        "translate",
        "-m",
        folders / "bart",
        "--beam",
        3,
        "--num-hypotheses",
        2,
        "--max-new-tokens",
        5,
        "--align",
        "a dog",
        "a cat",
    )
    rows = [row.split("\t") for row in rows.split("\n")[:-1]]
    assert [row[0] for row in rows] == ["1", "1", "2", "2"]
    for row, one in zip(rows[2:], (best, *best.alternatives), strict=True):
        assert row[1:] == [f"{one.rank_score:.4f}", on_one_line(one.text), one.alignment.pharaoh]


def test_json_has_everything(folders, translate):
    (line,) = output(
        "translate", "-m", folders / "bart", "--json", "--align", "--num-hypotheses", 2, "--max-new-tokens", 5, "a cat"
    ).split("\n")[:-1]
    found, best = json.loads(line), translate("a cat", num_hypotheses=2, max_new_tokens=5)
    assert (found["text"], found["tokens"], found["source"]) == (best.text, list(best.tokens), "a cat")
    assert [tuple(pair) for pair in found["alignment"]] == list(best.alignment.words)
    assert [one["ids"] for one in found["alternatives"]] == [list(one.ids) for one in best.alternatives]


def test_confidence_is_a_column_or_fields(folders):
    sure = regard.load("en-de")("Where is the station?")
    (line,) = output("translate", "--confidence", "Where is the station?").split("\n")[:-1]
    assert line == f"{sure.text}\t{sure.confidence.score:.2f}"
    fields = json.loads(output("translate", "--json", "--confidence", "Where is the station?"))
    assert fields["confidence"] == pytest.approx(sure.confidence.score)
    assert fields["words"] == [[word.word, pytest.approx(word.probability)] for word in sure.words]
    assert 0 < fields["coverage"] <= 1
    assert output("translate", "-m", folders / "bart", "--confidence", "--max-new-tokens", 3, "a cat").endswith("\t-\n")


def test_an_alignment_is_drawn(folders, translate):
    shown = output("translate", "-m", folders / "bart", "--max-new-tokens", "5", "--show", "a cat")
    best = translate("a cat", max_new_tokens=5)
    assert shown == f"{best.text}\n{best.alignment.draw()}\n"


def test_edits_are_applied(folders, translate, tmp_path):
    with regard.edit(translate.model) as edit:
        edit.head("decoder.*.cross", [0, 1, 2]).off()
        edit.save(tmp_path / "edits.json")
        expected = translate("a cat", max_new_tokens=8, beam=2)
    told = ["--edit", tmp_path / "edits.json", "--max-new-tokens", 8, "--beam", 2]
    assert output("translate", "-m", folders / "bart", *told, "a cat") == f"{expected.text}\n"
    assert expected.text != translate("a cat", max_new_tokens=8, beam=2).text


def test_sentences_and_languages(folders):
    marian = regard.load(folders / "marian")
    text = "Where is the station? It rains today."
    told = ["-m", folders / "marian", "--max-new-tokens", 6, text]
    assert output("translate", *told) == f"{marian(text, max_new_tokens=6).text}\n"
    assert output("translate", "--no-split", *told) == f"{marian(text, max_new_tokens=6, split=False).text}\n"
    assert output("translate", "--language", "deu", *told) == f"{marian(text, max_new_tokens=6, language='deu').text}\n"


def test_generate_draws_streams_and_numbers(folders):
    generate = regard.load(folders / "gpt2")
    drawn = generate("the", max_new_tokens=8, sample={"temperature": 1.5, "top_k": 9}, seed=3)
    told = ["-m", folders / "gpt2", "--max-new-tokens", 8, "--temperature", 1.5, "--top-k", 9, "--seed", 3, "the"]
    assert output("generate", *told) == f"the{drawn.text}\n"
    assert output("generate", "--stream", *told) == f"the{drawn.text}\n"
    found = output("generate", "-m", folders / "gpt2", "--max-new-tokens", 8, lines="the\na dog\n").split("\n")[:-1]
    assert found == [on_one_line(one.prompt + one.text) for one in generate(["the", "a dog"], max_new_tokens=8)]
    rows = output("generate", "-m", folders / "gpt2", "--max-new-tokens", 4, "--num-hypotheses", 2, "the").split("\n")[
        :-1
    ]
    assert [row.split("\t")[0] for row in rows] == ["1", "1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["translate", "-m", "x", "--input", "a", "text"], "TEXT or --input FILE, not both"),
        (["translate", "-m", "x", "--input", __file__, "--output", __file__], "the same file"),
        (["translate", "-m", "x", "--beam", "0", "a"], "0 is not in the range"),
        (["translate", "-m", "x", "--precision", "int3", "a"], "'int3' is not one of"),
        (["generate", "-m", "x", "--stream", "a", "b"], "--stream takes one TEXT"),
        (["generate", "-m", "x", "--temperature", "0", "a"], "0 is not in the range"),
    ],
)
def test_wrong_usage_exits_with_2(arguments, message):
    ran = run(*arguments)
    assert ran.exit_code == 2
    assert message in ran.output


def test_errors_name_the_line(folders, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"fine\n\xff\n")
    ran = run("translate", "-m", folders / "bart", "--input", tmp_path / "bad.txt")
    assert str(ran.exception) == f"{tmp_path / 'bad.txt'}:2: not UTF-8"
    ran = run("translate", "-m", folders / "bart", lines=b"fine\n\xff\n")
    assert str(ran.exception) == "line 2 of standard input is not UTF-8"
    (tmp_path / "bad.gz").write_bytes(gzip.compress(b"fine\n" * 9)[:-9])
    ran = run("translate", "-m", folders / "bart", "--input", tmp_path / "bad.gz")
    assert isinstance(ran.exception, RegardError)
    assert "bad.gz: cannot be read on" in str(ran.exception)
    ran = run("translate", "-m", folders / "bart", "--input", tmp_path / "none")
    assert "none: cannot be read: No such file" in str(ran.exception)
    ran = run("translate", "-m", folders / "bart", "--output", tmp_path / "no" / "where", "a")
    assert "cannot be written" in str(ran.exception)
    assert str(run("translate", "-m", folders / "bart", "fine", "\udcff").exception) == "text 2 is not UTF-8"


def started(folders, *arguments):
    told = [
        sys.executable,
        "-m",
        "regard",
        "translate",
        "-m",
        str(folders / "bart"),
        "--max-new-tokens",
        "4",
        *arguments,
    ]
    pipe = subprocess.PIPE
    return subprocess.Popen(told, stdin=pipe, stdout=pipe, stderr=pipe, env=os.environ | {"OMP_NUM_THREADS": "1"})


def test_a_pipe_is_answered_line_by_line_and_can_be_closed(folders):
    with started(folders) as running:
        running.stdin.write(b"a cat\n")
        running.stdin.flush()
        assert running.stdout.readline().endswith(b"\n")  # before the next line is there
        running.stdin.write(b"\na dog\n")
        running.stdin.flush()
        assert running.stdout.readline() == b"\n"
        assert running.stdout.readline().endswith(b"\n")
        running.stdout.close()
        running.stdin.write(b"a cat\n" * 3)
        running.stdin.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 1


def test_an_interrupt_leaves_whole_lines_and_no_traceback(folders, tmp_path):
    out = tmp_path / "out.txt"
    with started(folders, "--output", str(out), "--input", "/dev/stdin") as running:
        running.stdin.write(b"a cat\nthe dog\n")
        running.stdin.flush()
        while not out.exists() or not out.stat().st_size:
            assert running.poll() is None
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.stderr.read().strip() == b""
        assert running.wait(60) == 128 + signal.SIGINT
    assert out.read_bytes().count(b"\n") in (1, 2)
    assert out.read_bytes().endswith(b"\n")


def test_the_first_translation_imports_only_what_it_needs(folders):
    script = (
        "import sys, regard; regard.load(sys.argv[1])('a cat', max_new_tokens=3); "
        "print(sorted({*sys.modules} | {name.split('.')[0] for name in sys.modules}))"
    )
    ran = subprocess.run([sys.executable, "-c", script, str(folders / "bart")], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    others = {
        "transformers",
        "huggingface_hub",
        "sentencepiece",
        "sacrebleu",
        "tensorboard",
        "click",
        "pytest",
        "sympy",
    }
    others |= {"torch._dynamo"}  # the compiler, a second of waiting
    assert not others & set(eval(ran.stdout))


@pytest.mark.parametrize("arguments", [["--help"], ["translate", "--help"], ["generate", "--help"]])
def test_help_imports_neither_torch_nor_rich(arguments):
    script = "import sys; from regard.cli.main import main\ntry: main()\nfinally: print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True)
    assert "Options:" in ran.stdout
    assert not {"torch", "rich", "numpy", "tokenizers"} & set(ran.stdout.split())


def test_the_formats_that_are_named_are_those_that_are_known():
    from regard.cli.translate import FORMAT_NAMES
    from regard.text.formats import FORMATS

    assert set(FORMAT_NAMES) == set(FORMATS)
