import json

import pytest

from regard.json_text import MAX_DEPTH, JsonError, parse_json

GOOD = ['{"a": [1, -2.5, 1e3, null, true, "ä \\ud83d\\ude00"], "b": {"a": {}}}', "[]", "3", '"x"', " [1] "]


@pytest.mark.parametrize("text", GOOD)
def test_a_text_means_what_it_means_to_everybody(text):
    assert parse_json(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no JSON: Expecting value: line 1 column 1"),
        (b"[1, ", "no JSON: "),
        (b"[1]\n]", "no JSON: Extra data: line 2 column 1"),
        (b"\xff[]", "UTF-8 expected, got the byte 0xff at 0"),
        ('["x"]'.encode("utf-16"), "UTF-8 expected, got the byte 0xff at 0"),
        (b"\xef\xbb\xbf[]", "no JSON: "),
        (b'{"a": 1, "b": 2, "a": 3}', "the name 'a' comes twice in one object"),
        (b'{"a": NaN}', "a finite number expected, got NaN"),
        (b"[-Infinity]", "a finite number expected, got -Infinity"),
        (b"[1e999]", "a finite number expected, got 1e999"),
        (b"[" + b"9" * 5000 + b"]", "a whole number of too many digits"),
        (b'["\\ud800"]', "half of a surrogate pair in '\\ud800'"),
        (b'{"\\udfff": 1}', "half of a surrogate pair in '\\udfff'"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), f"nested more than {MAX_DEPTH} deep"),
        (b"[" * 100_000, f"nested more than {MAX_DEPTH} deep"),
        (b'{"a":' * 100_000, f"nested more than {MAX_DEPTH} deep"),
    ],
)
def test_what_has_no_meaning_or_two_is_refused_in_one_line(content, message):
    with pytest.raises(JsonError) as raised:
        parse_json(content)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


def test_what_is_as_deep_as_allowed_is_read():
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert parse_json(text.encode()) == json.loads(text)
