"""Generated texts with tags, and a judge of what comes out: the standard library's own reader of HTML."""

import random
from collections import Counter
from html.parser import HTMLParser

WORDS = (
    "the", "dog", "sleeps", "under", "a", "table", ",", "where", "is", "station", "?", "it", "rains", "&", "runs", "<",
    "over", ">", "there",
)  # fmt: skip
OPENING = (
    '<b>', '<i>', '<A href="/x?a=1&amp;b=2">', "<span class='x y' data-n=3>", '<em data-x="a > b">', "<x-new>", "<p>",
    '<div id="d">', "<li>", '<U\n lang="de">', "<h1>", "<font color=red size='+1'>", "<td>",
)  # fmt: skip
ALONE = ("<br>", "<BR/>", '<img src="a.png" alt="2 > 1">', "<hr />", "<!-- a <b> comment -->", "<wbr>", "<x-mark/>")


def generated(seed: int) -> str:
    """Words with tags among them: nested, crossing, empty, with attributes, all closed somewhere; one tag each once."""
    random_ = random.Random(seed)
    parts, opened = [], []
    for number in range(random_.randint(1, 16)):
        kind = random_.random()
        if kind < 0.3:
            tag = f'{random_.choice(OPENING)[:-1]} n="{number}">'
            parts.append(tag)
            opened.append(name_of(tag))
        elif kind < 0.5 and opened:
            parts.append(f"</{opened.pop(random_.randrange(len(opened)))}>")  # any of them: many cross
        elif kind < 0.6:
            parts.append(random_.choice(ALONE))
        else:
            words = " ".join(random_.choices(WORDS, k=random_.randint(1, 5)))
            parts.append(words.replace("&", "&amp;").replace("<", "&lt;").replace(">", random_.choice(["&gt;", ">"])))
        parts.append(random_.choice(["", " ", "\n  "]))
    random_.shuffle(opened)
    return "".join([*parts, *(f"</{name}>" for name in opened)])


def name_of(tag: str) -> str:
    return tag[1:].split()[0].rstrip(">")


class Judge(HTMLParser):
    """Counts the tags of a text and tells whether each is closed by its own, in its turn."""

    EMPTY = frozenset(("br", "img", "hr", "wbr"))

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.stack: list[str] = []
        self.words: list[str] = []
        self.is_sound = True
        self.feed(text)
        self.close()
        self.is_sound = self.is_sound and not self.stack

    def handle_starttag(self, tag, attrs):
        self.tags[self.get_starttag_text() or ""] += 1
        if tag not in self.EMPTY:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags[self.get_starttag_text() or ""] += 1

    def handle_endtag(self, tag):
        self.is_sound = self.is_sound and bool(self.stack) and self.stack.pop() == tag

    def handle_comment(self, data):
        self.tags[f"<!--{data}-->"] += 1

    def handle_data(self, data):
        self.words += data.split()
