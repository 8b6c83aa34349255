"""A table of terms."""

import pytest

from regard.text.glossary import Glossary
from regard.text.lines import DataError


def test_terms_are_read_and_known_as_whole_words(tmp_path):
    file = tmp_path / "terms.tsv"
    file.write_text("# ours\norder\tAuftrag\n\nBeam Search\tStrahlsuche\r\n", encoding="utf-8")
    glossary = Glossary.read(file)
    text = "Order a beam: Beam Search is no border."
    assert [(text[begin:end], target) for begin, end, target in glossary.matches(text)] == [
        ("Order", "Auftrag"),
        ("Beam Search", "Strahlsuche"),
    ]
    assert list(Glossary().matches(text)) == []


@pytest.mark.parametrize(("line", "told"), [("order", "a tab"), ("a\tb\tc", "a tab"), ("x\ty\nx\tz", "further above")])
def test_a_bad_line_is_told_with_its_number(tmp_path, line, told):
    file = tmp_path / "terms.tsv"
    file.write_text(line + "\n")
    with pytest.raises(DataError, match=rf"terms.tsv:\d: .*{told}"):
        Glossary.read(file)
