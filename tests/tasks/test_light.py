"""Text in, text out where torch cannot be loaded; the answers are those of the model of torch.

Also tests: tasks/engine_looks.py, tasks/purposes.py, tasks/source_layers.py, tasks/writing_task.py, text/batching.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from builtin.shipped import pairs
from engine.needs_engine import needs_engine

import regard
from regard.engine import PRECISIONS, serve
from regard.tasks import GenerateTask, TranslateTask
from regard.tasks.find import builtin

pytestmark = [
    needs_engine,
    pytest.mark.skipif({"en-de", "de-en", "shakespeare"} - builtin().keys() != set(), reason="not built in"),
]
EVERYDAY = Path(__file__).parents[2] / "bench" / "everyday.txt"
ODD = [
    "Call me at +49 170 1234567 or mail to a@b.de, it costs 12.50 EUR.",
    "THE HOUSE IS ON FIRE",
    "",
    "{name} has %d new messages in <b>box</b>.",
    "Two sentences. The second is longer, with commas, and more; yes.",
]
CODE = """
import json, sys
import regard
answers = {}
translate, generate = regard.load("en-de"), regard.load("shakespeare")
for text in ("Where is the station?", "It costs {price} EUR."):
    answer = translate(text, num_hypotheses=2)
    confidence = answer.confidence.score
    answers[text] = [answer.text, answer.score, answer.alignment.pharaoh, confidence, answer.alternatives[0].text]
answers["stream"] = list(translate("One. Two.", stream=True))
answers["markup"] = translate("The <b>red</b> house.", markup="html").text
answers["prompt"] = [generate("My lord", seed=3).text, "".join(generate("My lord", seed=3, stream=True))]
print(json.dumps([answers, "torch" in sys.modules]))
"""


@pytest.fixture
def python(tmp_path):
    """Runs Python where importing torch is an error; `installed=False`: as where there is none."""

    def run(*arguments, installed=True, input=None, **environment):
        error = "RuntimeError('torch was imported')" if installed else "ModuleNotFoundError('none', name='torch')"
        (tmp_path / "torch.py").write_text(f"raise {error}\n")
        path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
        command, own = [sys.executable, *arguments], {**os.environ, "PYTHONPATH": path, **environment}
        return subprocess.run(command, env=own, input=input, capture_output=True, text=True, timeout=300, check=False)

    return run


def lines(count):
    return [*ODD, *EVERYDAY.read_text().splitlines()[:count]]


def with_torch(name):
    """The same task, its model loaded: from then on the engine serves the model."""
    task = regard.load(name)
    assert task.folder_model is not None
    serve(task.model, wait=True)
    assert task.folder_model is None
    return task


def told(answer):
    weights = answer.alignment.weights.tobytes()
    words = [(word.word, word.probability) for word in answer.words]
    plain = (answer.text, answer.ids, answer.score, answer.rank_score, answer.is_finished, answer.warnings)
    others = [(other.text, other.score) for other in answer.alternatives]
    return plain, others, weights, answer.alignment.pharaoh, answer.confidence, words


def test_commands_run_without_torch(python):
    ran = python("-m", "regard", "translate", "Where is the station?")
    assert (ran.stdout, ran.stderr) == (f"{with_torch('en-de')('Where is the station?').text}\n", "")
    ran = python("-m", "regard", "translate", "--show", "--align", "--confidence", "--beam", "4", "Where is it?")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith(f"{with_torch('en-de')('Where is it?', beam=4).text}\t")
    ran = python("-m", "regard", "translate", "-m", "de-en", "--precision", "int8", "Wo ist der Bahnhof?")
    assert (ran.stdout, ran.stderr) == (f"{with_torch('de-en')('Wo ist der Bahnhof?', precision='int8').text}\n", "")
    ran = python("-m", "regard", "generate", "-m", "shakespeare", "--max-new-tokens", "5", "My lord")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
    ran = python("-m", "regard", "answer", "-q", "Where is Mary?", input="Mary went to the kitchen. John went home.")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("kitchen\t")
    ran = python("-m", "regard", "models")
    assert ran.returncode == 0, ran.stderr
    assert "\nen-de " in ran.stdout


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.html", "<p>Where is <b>the station</b>?</p>\n"),
        ("notes.md", "# Where is *the station*?\n"),
        ("film.srt", "1\n00:00:01,000 --> 00:00:02,000\nWhere is it?\n"),
        ("messages.po", 'msgid "Yes."\nmsgstr ""\n'),
    ],
)
def test_documents_are_translated_without_torch(python, tmp_path, name, content):
    (tmp_path / name).write_text(content)
    ran = python("-m", "regard", "translate", "--input", str(tmp_path / name))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout != content


def test_from_python_nothing_else_is_said_than_with_torch(python):
    ran = python("-c", CODE)
    assert ran.returncode == 0, ran.stderr
    answers, has_torch = json.loads(ran.stdout)
    assert not has_torch
    translate, generate = with_torch("en-de"), with_torch("shakespeare")
    for text in ("Where is the station?", "It costs {price} EUR."):
        answer = translate(text, num_hypotheses=2)
        facts = [answer.text, answer.score, answer.alignment.pharaoh, answer.confidence.score]
        assert answers[text] == [*facts, answer.alternatives[0].text]
    assert answers["stream"] == list(translate("One. Two.", stream=True))
    assert answers["markup"] == translate("The <b>red</b> house.", markup="html").text
    text = generate("My lord", seed=3).text
    assert answers["prompt"] == [text, text]


def test_what_takes_torch_says_so_in_one_line_where_there_is_none(python):
    code = "import regard; task = regard.load('en-de'); print(task('Hello.').text); task.model"
    ran = python("-c", code, installed=False)
    assert ran.stdout
    line = "PyTorch is not installed, and the model itself needs it: pip install torch"
    assert ran.stderr.splitlines()[-1] == f"regard.errors.TorchMissing: {line}"
    ran = python("-c", "import regard; regard.watch", installed=False)
    assert ran.stderr.splitlines()[-1].endswith(
        "PyTorch is not installed, and regard.watch needs it: pip install torch"
    )
    for command in (
        ["fill", "-m", "masked-en", "the [MASK]"],
        ["lens", "-m", "en-de", "Hello."],
        ["embed", "-m", "masked-en", "Hello."],
    ):
        ran = python("-m", "regard", *command, installed=False)
        assert ran.returncode == 1
        assert len(ran.stderr.splitlines()) == 1
        assert ran.stderr.startswith("regard: PyTorch is not installed, and ")
        assert ran.stderr.endswith(": pip install torch\n")


def test_a_folder_that_only_torch_can_read_says_why(python):
    ran = python("-m", "regard", "translate", "Hello.", installed=False, REGARD_ENGINE="off")
    assert ran.returncode == 1
    assert len(ran.stderr.splitlines()) == 1
    assert ran.stderr.startswith(
        "regard: PyTorch is not installed, and en-de needs it, because the engine is switched off"
    )
    assert ran.stderr.endswith(": pip install torch\n")


@pytest.mark.parametrize("name", ["en-de", "de-en"])
@pytest.mark.parametrize("beam", [1, 4])
def test_the_model_of_torch_answers_the_same(name, beam):
    light, heavy = regard.load(name), with_torch(name)
    assert isinstance(light, TranslateTask)
    for precision in PRECISIONS:
        texts = lines(20 if precision == "float32" else 5)
        options = {"beam": beam, "num_hypotheses": min(2, beam), "precision": precision}
        one, other = light(texts, **options), heavy(texts, **options)
        assert [told(answer) for answer in one] == [told(answer) for answer in other]
    assert light.folder_model is not None


@pytest.mark.parametrize("options", [{}, {"beam": 3, "sample": False}, {"sample": {"top_p": 0.8}, "seed": 7}], ids=str)
def test_what_is_written_on_is_the_same(options):
    light, heavy = regard.load("shakespeare"), with_torch("shakespeare")
    assert isinstance(light, GenerateTask)
    for precision in PRECISIONS:
        told_both = {"max_new_tokens": 30, "precision": precision, **options}
        assert light(["My lord", "To be"], **told_both) == heavy(["My lord", "To be"], **told_both)


def test_a_model_that_was_asked_for_is_what_answers():
    task = regard.load("en-de")
    before = task("Where is the station?")
    with regard.watch(task.model) as seen:
        assert task("Where is the station?").text == before.text
    assert seen["decoder.0.cross"]
    with regard.edit(task.model) as edit:
        edit.hide(source=[0, 1, 2])
        assert task("Where is the station?").text != before.text
    assert task("Where is the station?").score == before.score
    assert before.alignment.pharaoh == task("Where is the station?").alignment.pharaoh


def plain(answers):
    return [(answer.text, answer.ids, answer.score) for answer in answers]


@pytest.mark.parametrize("name", ["en-de", "de-en"])
def test_three_hundred_sentences_are_the_same(name):
    light, heavy, texts = regard.load(name), with_torch(name), pairs(name)[0][:300]
    for options in ({"beam": 4}, {"beam": 1, "precision": "int8"}):
        assert plain(light(texts, **options)) == plain(heavy(texts, **options))


@pytest.mark.proof
@pytest.mark.parametrize("name", ["en-de", "de-en"])
def test_two_thousand_sentences_are_the_same_in_all_precisions_and_beams(name):
    light, heavy, texts = regard.load(name), with_torch(name), pairs(name)[0][:2000]
    for precision in PRECISIONS:
        for beam in (1, 2, 4):
            options = {"beam": beam, "precision": precision}
            assert plain(light(texts, **options)) == plain(heavy(texts, **options)), options
