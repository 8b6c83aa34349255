"""Spans that no translation may change are recognised, and missed where they are damaged."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import ArgumentError
from regard.text.glossary import Glossary
from regard.text.spans import (
    SPANS,
    Protection,
    SpanKind,
    cuts_between,
    has_words,
    protection_of,
    spans_within,
    trim_spans,
    with_targets,
)


def found(text, **settings):
    return [text[span.begin : span.end] for span in Protection(**settings).spans(text)]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Hello {name}, your order {order_id} has been shipped.", ["{name}", "{order_id}"]),
        ("%s: cannot open '%s' (%1$s, %(name)s)", ["%s", "'%s'", "%1$s", "%(name)s"]),
        ("%d%% of ${x}, $HOME, {0} and {}", ["%d%%", "${x}", "$HOME", "{0}", "{}"]),
        ("the directive `%%%c' of %s", ["`%%%c'", "%s"]),
        ("file mode: 0%o (SHA1: %s), 100%% of 50% off", ["0%o", "%s", "100%%", "50%"]),
        ("Fish &amp; chips &#8230; <file>", ["&amp;", "&#8230;", "<file>"]),
        ("See https://www.example.com/help?id=42. Or (http://a.b/c).", ["https://www.example.com/help?id=42", "http://a.b/c"]),
        ("Write to jane.doe+x@mail.example.org, please", ["jane.doe+x@mail.example.org"]),
        ("It costs $1,299.99, not 12.99 EUR or €5.", ["$1,299.99", "12.99 EUR", "€5"]),
        ("3.5 km, 20 %, 5 GB and 10 °C", ["3.5 km", "20 %", "5 GB", "10 °C"]),
        ("On 2024-03-05 at 10:30, or 5/6/2024", ["2024-03-05", "10:30", "5/6/2024"]),
        ("Run `git add .` in /etc/apt or ~/x.txt with --no-act", ["`git add .`", "/etc/apt", "~/x.txt", "--no-act"]),
        ("Call max_length or load() of 1.2.3", ["max_length", "load()", "1.2.3"]),
        ("100% of the people and/or e.g. half. Is it 5 o'clock?", ["100%"]),
        ("Room 4711 in 1969, 12 apples and 1,299 people.", ["4711", "1969"]),
        ("Es kostet 1.299 Euro, nicht 12,50 Euro.", ["1.299", "12,50"]),
        ("On 5 May, May 6th, 2024, the 3rd of June; am 7. März", ["5", "6", "2024", "3", "7"]),
        ("May 10:30, section 5 may, 12 mayors, may 3 come", ["10:30"]),
        ("Success.~%Files written to:~%~s~%", ["~%", "~%~s~%"]),
        ("value %Rg, %Zd, ~%d tests", ["%Rg", "%Zd", "%d"]),
        ("std%s and %dpx are one word", ["std%s", "%dpx"]),
    ],
)  # fmt: skip
def test_usual_spans_are_recognised(text, spans):
    assert found(text) == spans


@given(
    st.lists(st.tuples(st.text(string.ascii_letters, max_size=6), st.sampled_from(["", "d", "02d", "s", "r", ".2f"])))
)
def test_whatever_python_fills_in_is_protected(fields):
    """Names and formats as Python itself reads them."""
    text = " and ".join(f"{{{name}:{how}}}" if name else "{}" for name, how in fields)
    names = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    assert len(found(text)) == len(names)


@given(st.text(alphabet="ab %sd{}<>&;:/.,$01-@`'\"_\n", max_size=60))
def test_spans_are_in_order_apart_and_of_the_text(text):
    protection = Protection()
    end = 0
    for span in protection.spans(text):
        assert end <= span.begin < span.end <= len(text)
        assert span.target == text[span.begin : span.end]
        end = span.end
    assert protection.missing(text, text) == []


@pytest.mark.parametrize(
    ("source", "target", "missing"),
    [
        ("a %s b", "c %s d", []),
        ("a %s b", "c d", ["%s"]),
        ("a %s b", "c %s %s", ["%s"]),
        ("%s of %d", "%d von %s", ["%s", "%d"]),
        ("%1$s of %2$d", "%2$d von %1$s", []),
        ("{a} of {b}", "{b} von {a}", []),
        ("5 km away", "15 km weg", ["5 km"]),
        ("a %s b", "c % %s", ["%"]),
        ("see http://a.de/b", "siehe http://a.de/bc", ["http://a.de/b"]),
    ],
)
def test_what_is_damaged_is_missed(source, target, missing):
    assert Protection().missing(source, target) == missing


def test_the_table_can_be_extended_and_a_wrong_pattern_is_told():
    assert found("Fix ABC-123 now", kinds=SPANS | {"ticket": SpanKind(r"[A-Z]+-\d+")}) == ["ABC-123"]
    with pytest.raises(ArgumentError, match=re.escape("a pattern of spans expected, got '('")):
        Protection({"bad": SpanKind("(")})
    with pytest.raises(ArgumentError, match="one sign"):
        Protection(mnemonic="ab")


def test_a_term_of_a_glossary_has_a_target_of_its_own():
    protection = Protection(glossary=Glossary({"order": "Auftrag", "order form": "Bestellschein"}))
    spans = protection.spans("Order the order form, not disorder.")
    assert [span.target for span in spans] == ["Auftrag", "Bestellschein"]
    assert protection.missing("the order", "die Bestellung") == ["Auftrag"]


def test_spans_before_a_colon_are_no_part_of_the_sentence():
    text = "%s: cannot open the file: %s"
    spans = Protection().spans(text)
    first, last = trim_spans(text, spans)
    assert text[first:last] == "cannot open the file"
    assert trim_spans("<click here>", ()) == (1, 11)
    assert not has_words("%s: %s", Protection().spans("%s: %s"))


def test_no_sentence_ends_within_a_span():
    text = "Use `a. B` now. Then go."
    spans = Protection().spans(text)
    assert cuts_between([("Use `a.", " "), ("B` now.", " "), ("Then go.", "")], spans) == [
        ("Use `a. B` now.", " "),
        ("Then go.", ""),
    ]
    assert [span.begin for span in spans_within(spans, 4, len(text))] == [0]
    assert with_targets("a b", Protection(glossary=Glossary({"b": "c"})).spans("a b")) == "a c"


def test_what_a_format_keeps_is_protected_even_without():
    off = protection_of(False, has_objects=True)
    assert off is not None
    assert list(off.kinds) == ["object"]
    assert protection_of(False) is None
