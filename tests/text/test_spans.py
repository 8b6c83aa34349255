"""Spans that no translation may change are recognised, and missed where they are damaged."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import ArgumentError
from regard.text.glossary import Glossary
from regard.text.spans import (
    SIGNS,
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
        ("Set debug=true; size=%d left", ["debug=true", "%d"]),
        ("Call max_length or load() of 1.2.3", ["max_length", "load()", "1.2.3"]),
        ("100% of the people and/or e.g. half. Is it 5 o'clock?", ["100%", "5"]),
        ("Room 4711 in 1969, 12 apples and 1,299 people.", ["4711", "1969", "12", "1,299"]),
        ("Es kostet 1.299 Euro, nicht 12,50 Euro.", ["1.299", "12,50"]),
        ("On 5 May, May 6th, 2024, the 3rd of June; am 7. März", ["5", "6", "2024", "3", "7"]),
        ("May 10:30, section 5 may, 12 mayors, may 3 come", ["10:30", "5", "12", "3"]),
        ("Success.~%Files written to:~%~s~%", ["~%", "~%~s~%"]),
        ("value %Rg, %Zd, ~%d tests", ["%Rg", "%Zd", "%d"]),
        ("std%s and %dpx are one word", ["std%s", "%dpx"]),
        ("Hi {{ a.b }}, {%if x%}see{% endif %} <%= c %>", ["{{ a.b }}", "{%if x%}", "{% endif %}", "<%= c %>"]),
        ("%{name} of %company%, :count and :smile:", ["%{name}", "%company%", ":count", ":smile:"]),
        (r"Line one\nLine two, \"so\" in \textbf{x}", [r"\n", r"\"", r"\"", r"\textbf{x}"]),
        (r"Open C:\Program Files (x86)\a.ini, or \\host\share.", [r"C:\Program Files (x86)\a.ini", r"\\host\share"]),
        ("set debug=true, call foo_bar(x, y) or a.b(1)", ["debug=true", "foo_bar(x, y)", "a.b(1)"]),
        ("£3.4bn, EUR 5 m, US$2k, CHF 1'299.50 and $5 more", ["£3.4bn", "EUR 5 m", "US$2k", "CHF 1'299.50", "$5"]),
        ("-5 °C at 2:30 p.m. or 9 am in the 1990s", ["-5 °C", "2:30 p.m.", "9"]),
        ("the id 550e8400-e29b-41d4-a716-446655440000", ["550e8400-e29b-41d4-a716-446655440000"]),
        ("ISBN 978-3-16-148410-0, 00:1A:2B:3C:4D:5E", ["978-3-16-148410-0", "00:1A:2B:3C:4D:5E"]),
        ("Order A-10293, 4711-0815-XY, 3ae91d2", ["A-10293", "4711-0815-XY", "3ae91d2"]),
        ("DE89 3704 0044 0532 0130 00; +49 (0)30 12-34", ["DE89 3704 0044 0532 0130 00", "+49 (0)30 12-34"]),
        ("H2O, MP3 and a 20-year-old in room 3", ["20", "3"]),
        ("Das 2. Kapitel, Seite 4. The first 5-a-side on 1/2, 3 4 and 6", ["3", "6"]),
        ("He lives in London SW1A 1AA", ["SW1A 1AA"]),
        ("Thank @anna for #Urlaub", ["@anna", "#Urlaub"]),
        ("{n, plural, =0 {No file} other {# files of {x}}} gone", ["{n, plural, =0 {", "} other {#", "{x}}}"]),
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
        ("12,500 dogs", "12.500 Hunde", []),
        ("12,500 dogs", "12.5000 Hunde", ["12,500"]),
        ("97 dogs", "siebenundneunzig Hunde", ["97"]),
        ("3 cats and 2 dogs", "Drei Katzen und 2 Hunde", []),
        ("3 cats and 2 dogs", "3 Katzen und Hunde", ["2"]),
        ("3 cats and 3 dogs", "3 Katzen und Hunde", ["3"]),
        ("two dogs", "2 Hunde", []),
        ("7 dogs", "17 Hunde", ["7"]),
    ],
)
def test_what_is_damaged_is_missed(source, target, missing):
    assert Protection().missing(source, target) == missing


def test_a_digit_may_be_left_out_of_what_has_to_be_there():
    assert Protection().missing("3 cats for %s", "Katzen", digits=False) == ["%s"]
    assert Protection().missing("3 cats", "Katzen", digits=False) == []


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


@pytest.mark.parametrize("name", SPANS)
def test_every_span_has_one_of_the_signs_by_which_texts_are_searched_at_all(name):
    @given(st.from_regex(SPANS[name].compiled))
    def check(text):
        assert SIGNS.search(text)

    check()


def test_a_kind_of_ones_own_is_searched_for_in_texts_without_signs():
    ticket = SpanKind(r"\bTicket [A-Z]+\b")
    assert not SIGNS.search("See Ticket ABC please")
    assert found("See Ticket ABC please", kinds=SPANS | {"ticket": ticket}) == ["Ticket ABC"]
    assert found("See Ticket ABC please", kinds={"number": ticket}) == ["Ticket ABC"]  # under a name that is known
