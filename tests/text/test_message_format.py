"""Messages with forms: their syntax is told from their words."""

import pytest

from regard.text.message_format import message_syntax
from regard.text.spans import Protection


def between(text):
    """The text, its syntax in brackets."""
    for begin, end in reversed(message_syntax(text)):
        text = f"{text[:begin]}[{text[begin:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("{n, plural, one {# file} other {# files}} gone", "[{n, plural, one {][#] file[} other {][#] files[}}] gone"),
        ("{g, select, male {He} other {They}} did", "[{g, select, male {]He[} other {]They[}}] did"),
        ("{g, select, other {# {x}}}", "[{g, select, other {]# {x}[}}]"),
        (
            "{n,plural,offset:1 =0{no}other{{g, select, other {it}}}}",
            "[{n,plural,offset:1 =0{]no[}other{][{g, select, other {]it[}}][}}]",
        ),
        ("{n, plural, one {# file} other {# files}", "{n, plural, one {# file} other {# files}"),
        ("{n, plural}", "{n, plural}"),
        ("{name} and {0, number}", "{name} and {0, number}"),
    ],
)
def test_syntax_is_all_but_what_the_forms_say(text, marked):
    assert between(text) == marked


@pytest.mark.parametrize("part", ["{a, plural, one {", "{a, plural, one {}", "{a, plural, one {{"])
def test_what_is_never_closed_takes_no_time(part):
    assert message_syntax(part * 20_000) == []


def test_a_form_that_is_lost_or_moved_is_missed():
    text = "{n, plural, one {# file} other {# files}} deleted"
    assert Protection().missing(text, text.replace("file", "Datei")) == []
    assert Protection().missing(text, text.replace("other", "andere")) != []
    assert Protection(kinds={}).missing(text, "nothing") == []
