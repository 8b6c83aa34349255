"""A file of answers is written on with the options that it was begun with, or not at all."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from regard.cli.begun import begun, begun_path, current_options, value_of
from regard.cli.main import regard as command_line
from regard.cli.translate import translate as translate_command
from regard.errors import RegardError

LINES = ["Where is the station?", "It rains.", "I am tired.", "We have a dog."]


def translate(*options):
    return CliRunner().invoke(command_line, ["translate", *map(str, options)])


def killed(target: Path, options: dict[str, object], *, resume: bool = False) -> None:
    with pytest.raises(KeyboardInterrupt), begun(str(target), options, resume=resume):
        raise KeyboardInterrupt


@pytest.fixture
def halved(tmp_path):
    """A file of which two lines are there, as a kill leaves it."""
    source, target = tmp_path / "source.txt", tmp_path / "target.txt"
    source.write_text("".join(f"{line}\n" for line in LINES))
    arguments = ["--input", source, "--output", target, "--beam", 2]
    assert translate(*arguments).exit_code == 0
    assert not begun_path(str(target)).exists()
    whole = target.read_text()
    context = translate_command.make_context("translate", list(map(str, arguments)))
    with context:
        killed(target, current_options())
    target.write_text("".join(whole.splitlines(keepends=True)[:2]))
    return source, target, whole


def test_other_options_are_refused_by_name_and_the_same_go_on(halved):
    source, target, whole = halved
    before = target.read_text()
    places = ("--input", source, "--output", target, "--resume")
    for wrong in (("--beam", 1), ("--beam", 2, "--no-protect"), ("--beam", 2, "--align"), ("--beam", 2, "-m", "de-en")):
        result = translate(*places, *wrong)
        assert result.exit_code == 1, wrong
        name = (
            "--model"
            if "-m" in wrong
            else "--protect"
            if "--no-protect" in wrong
            else wrong[-1 if len(wrong) > 2 else 0]
        )
        assert f"target.txt: begun with {name} " in str(result.exception)
        assert target.read_text() == before
    assert translate(*places, "--beam", 2, "--processes", 2).exit_code == 0  # changes no line
    assert target.read_text() == whole
    assert list(target.parent.glob(".*")) == []


def test_a_glossary_counts_by_what_is_in_it(tmp_path):
    terms = tmp_path / "terms.tsv"
    terms.write_text("dog\tDackel\n")
    before = value_of("glossary", str(terms))
    assert value_of("glossary", str(terms)) == before
    terms.write_text("dog\tHund\n")
    assert value_of("glossary", str(terms)) != before
    assert value_of("glossary", str(tmp_path / "none.tsv")) == str(tmp_path / "none.tsv")


def test_what_is_whole_or_begun_anew_asks_nothing(tmp_path):
    target = tmp_path / "target.txt"
    killed(target, {"--beam": 4})
    with (
        pytest.raises(RegardError, match="begun with --beam 4, now as the model says"),
        begun(str(target), {"--beam": None}, resume=True),
    ):
        raise AssertionError
    killed(target, {"--beam": 1}, resume=False)  # anew
    with begun(str(target), {"--beam": 1, "--new": True}, resume=True):  # an option of a later version
        pass
    with begun(str(target), {"--beam": 5}, resume=True):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_note_that_is_no_note_is_none_and_pipes_have_none(tmp_path):
    target = tmp_path / "target.txt"
    for text in ("", "[1]", "\0"):
        begun_path(str(target)).write_text(text)
        with begun(str(target), {}, resume=True):
            pass
    with begun("/dev/null", {}, resume=False):
        assert not Path("/dev/.null.begun").exists()
    with begun(None, {}, resume=False):
        pass
    with begun(str(tmp_path / "nowhere" / "target.txt"), {}, resume=False):
        pass
