"""`regard align` and `regard translate --markup` as they are typed."""

import json
import lzma

import pytest
from click.testing import CliRunner
from tasks.tiny import TEXTS, bart

import regard
from regard.cli import align as align_command
from regard.cli.main import regard as command
from regard.errors import RegardError
from regard.looking.align import SYMMETRIES, pharaoh, swap_links
from regard.tasks.align import MEAN, Direction, WordAligner
from regard.tasks.find import builtin

PAIRS = [(TEXTS[0], TEXTS[2]), (TEXTS[1], TEXTS[0]), (TEXTS[2], TEXTS[3]), (TEXTS[4], TEXTS[1])]
LOOK = "decoder.0.cross:1 shifted"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("align")
    (folder / "model").mkdir()
    bart(folder / "model", decoder_layers=2, max_length=10)
    for side, file in enumerate(("source", "target")):
        (folder / file).write_text("".join(f"{pair[side]}\n" for pair in PAIRS))
    (folder / "pairs.tsv.xz").write_bytes(lzma.compress("".join(f"{a}\t{b}\n" for a, b in PAIRS).encode()))
    return folder


def run(*arguments, lines=None):
    return CliRunner().invoke(command, [str(argument) for argument in arguments], input=lines)


def expected(folder, pairs=PAIRS):
    return WordAligner(Direction.of(regard.load(folder / "model"), heads=LOOK))(pairs)


def test_a_pair_is_a_line(folder):
    told = ["-m", folder / "model", "--heads", LOOK]
    ran = run("align", folder / "source", folder / "target", *told)
    assert ran.exit_code == 0, ran.exception
    assert ran.stdout.split("\n")[:-1] == [pharaoh(one) for one in expected(folder)]
    assert run("align", folder / "pairs.tsv.xz", *told, "--output", folder / "out").stdout == ""
    assert (folder / "out").read_text() == ran.stdout


@pytest.mark.skipif({"en-de", "de-en"} - builtin().keys() != set(), reason="not built in")
def test_without_a_model_both_built_in_translators_align(tmp_path):
    (tmp_path / "pairs.tsv").write_text("The old man reads a book.\tDer alte Mann liest ein Buch.\n")
    ran = run("align", tmp_path / "pairs.tsv")
    both = run("align", tmp_path / "pairs.tsv", "-m", "en-de", "--reverse", "de-en")
    assert ran.exit_code == 0, ran.output
    assert ran.stdout == both.stdout
    assert {"1-1", "2-2"} <= set(ran.stdout.split())  # old and alte, man and Mann
    refused = run("align", tmp_path / "pairs.tsv", "--reverse", "en-de")
    assert refused.exit_code == 2
    assert "are for --model" in refused.output


def test_swapped_texts_are_read_the_other_way_and_links_stay_as_the_files_are(folder):
    ran = run("align", folder / "source", folder / "target", "-m", folder / "model", "--heads", LOOK, "--swap")
    back = expected(folder, [(target, source) for source, target in PAIRS])
    assert ran.stdout.split("\n")[:-1] == [pharaoh(swap_links(one)) for one in back]


def test_gold_gives_scores_and_chooses_heads(folder):
    gold = "\n".join(" ".join(f"{a + 1}-{b + 1}" for a, b in sorted(one)) for one in expected(folder))
    (folder / "gold").write_text(gold)
    asked = ["align", folder / "source", folder / "target", "-m", folder / "model", "--gold", folder / "gold"]
    found = json.loads(run(*asked, "--heads", LOOK, "--gold-from", 1, "--json").stdout)
    assert found["scores"] == {"aer": 0.0, "precision": 1.0, "recall": 1.0}
    assert found["scored"] == found["lines"] == len(found["links"]) == 4
    chosen = json.loads(run(*asked, "--gold-from", 1, "--choose", 3, "--json").stdout)
    assert chosen["scored"] == 1
    (look,) = chosen["directions"]
    assert look["rule"] == "gold"
    assert look["error"] == 0
    assert len(look["ranking"]) == 16
    told = run(*asked, "--heads", LOOK, "--gold-from", 1)
    assert "aer 0.00  precision 100.00  recall 100.00  on 4 lines" in told.stderr
    assert f"model: {LOOK}" in told.stderr


def test_two_directions_agree_on_their_heads(folder):
    asked = ["align", folder / "source", folder / "target", "-m", folder / "model", "--reverse", folder / "model"]
    found = json.loads(run(*asked, "--json", "--symmetrise", "union").stdout)
    assert [look["rule"] for look in found["directions"]] == ["agreement of the two directions"] * 2
    assert found["symmetrise"] == "union"
    assert set(align_command.SYMMETRIES) == {MEAN, *SYMMETRIES}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--choose", "3"], "--choose N is for --gold"),
        (["--reverse-heads", LOOK], "--reverse-heads is for --reverse"),
    ],
)
def test_wrong_usage_is_told(folder, arguments, message):
    ran = run("align", folder / "source", folder / "target", "-m", folder / "model", *arguments)
    assert ran.exit_code == 2
    assert message in ran.stderr


def test_a_look_that_is_not_there_is_one_line(folder):
    ran = run("align", folder / "source", folder / "target", "-m", folder / "model", "--heads", "decoder.7.cross")
    assert isinstance(ran.exception, RegardError)
    assert "no layer fits 'decoder.7.cross'" in str(ran.exception)


def test_a_page_is_one_text(folder):
    page = f"<ul>\n<li><b>{TEXTS[0]}</b>\n<li>{TEXTS[1]}\n</ul>\n"
    told = ["-m", folder / "model", "--markup", "html", "--max-new-tokens", 5]
    found = run("translate", *told, lines=page)
    assert found.exit_code == 0, found.exception
    whole = regard.load(folder / "model")(page.removesuffix("\n"), markup="html", max_new_tokens=5)
    assert found.stdout == whole.text + "\n"
    assert found.stdout.count("<li>") == found.stdout.count("</li>") == 2
    each = run("translate", *told, f"<b>{TEXTS[0]}</b>", TEXTS[1])
    assert each.stdout.startswith("<b>")
    assert json.loads(run("translate", *told, "--json", page).stdout)["source"] == page
