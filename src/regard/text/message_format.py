"""Messages with forms, as ICU writes them: `{count, plural, one {# file} other {# files}} deleted`.

What the forms say is translated, each by itself; what says which form it is, is syntax.
"""

import re

HEAD = re.compile(
    r"\{\s{0,3}[\w.]{1,60}\s{0,3},\s{0,3}(plural|selectordinal|select)\s{0,3},\s{0,3}(?:offset:\d{1,4}\s{1,3})?"
)
FORM = re.compile(r"\s{0,40}(?:=\d{1,9}|[\w-]{1,40})\s{0,3}\{")
END = re.compile(r"\s{0,40}\}")
SIGN = re.compile(r"[{}#]")
DEEPEST = 4  # messages within messages


def message_syntax(text: str) -> list[tuple[int, int]]:
    """From where to where the syntax of messages stands in a text, in order: all but what their forms say."""
    stretches: list[tuple[int, int]] = []
    at = 0
    while head := HEAD.search(text, at):
        message = read_message(text, head, DEEPEST)
        at = head.end() if message is None else message[1]
        stretches += [] if message is None else message[0]
    return stretches


def read_message(text: str, head: re.Match[str], depth: int) -> tuple[list[tuple[int, int]], int] | None:
    """The syntax of one message and where it ends; None of what is none."""
    begin, at = head.start(), head.end()
    stretches: list[tuple[int, int]] = []
    while form := FORM.match(text, at):
        stretches.append((begin, form.end()))
        words = read_form(text, form.end(), depth, has_count=head[1] != "select")
        if words is None:
            return None
        stretches += words[0]
        begin, at = words[1], words[1] + 1
    end = END.match(text, at)
    return None if end is None or not stretches else ([*stretches, (begin, end.end())], end.end())


def read_form(text: str, at: int, depth: int, *, has_count: bool) -> tuple[list[tuple[int, int]], int] | None:
    """The syntax in what a form says, and where its brace is closed. In forms of a count, # is the number."""
    stretches: list[tuple[int, int]] = []
    open_braces = 0
    while sign := SIGN.search(text, at):
        at = sign.end()
        if sign[0] == "#" and has_count and not open_braces:
            stretches.append(sign.span())
        elif sign[0] == "{":
            head = HEAD.match(text, sign.start())
            message = read_message(text, head, depth - 1) if head and depth else None
            if head and message is None:
                return None
            if message is None:
                open_braces += 1
            else:
                stretches += message[0]
                at = message[1]
        elif sign[0] == "}":
            if not open_braces:
                return stretches, sign.start()
            open_braces -= 1
    return None
