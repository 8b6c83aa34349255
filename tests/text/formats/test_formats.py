"""Formats of files: a round trip changes nothing but the words, by the word of parsers that nobody here wrote.

Also tests: text/documents.py, text/formats/docx.py, text/formats/html.py, text/formats/markdown.py,
text/formats/odt.py, text/formats/po.py, text/formats/spliced_xml.py, text/formats/subtitles.py, text/formats/tmx.py,
text/formats/xliff.py.
"""

import io
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest

from regard.text.formats import FORMATS, MARKUPS, FormatError, format_named, format_of

PAGE = """<!DOCTYPE html>
<html><head><title>An old house</title><meta name="description" content="About a house"></head>
<body>

<h1>The house</h1>

<p>It is <b>very</b> old. Use <code>git add</code> now.
   <a href="mailto:a@b.de">Our team</a> <img src="x.png" alt="A dog"></p>
<pre>for x in y:
    pass</pre>
<div translate="no"><p>Keep me</p></div>
<p title='Say "so"'>Fish &amp; chips</p>
</body></html>
"""
NOTES = """---
title: x
---
# The *old* house

It is **very** old, see [the page](http://a.de/b "T") and `code`.
It goes on.

- one `x`
- two
  more

> A quote  
> of two lines

| name | what |
|------|:----:|
| a dog | `b` |

```python
keep = "me"
```

    indented code

![a picture](x.png) and <span class="a">some words</span> in snake_case.
"""
SUBTITLES = """1
00:00:01,000 --> 00:00:02,500
- Where is <i>the dog</i>?
- I do not know.

2
00:00:03,000 --> 00:00:04,000
The old man is reading a book
about the dog and the cat.

"""
CUES = """WEBVTT

STYLE
::cue { color: red }

NOTE a word that stays

intro
00:01.000 --> 00:02.000 align:start
<v Bob>It rains today.
"""
CATALOGUE = r"""# a comment
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#, c-format
msgctxt "menu"
msgid "The \"dog\" is <b>old</b>.\n"
msgstr ""

msgid "two "
"parts"
msgstr "zwei Teile"

msgid "%d dog"
msgid_plural "%d dogs"
msgstr[0] ""
msgstr[1] ""

#~ msgid "gone"
#~ msgstr ""
"""
XLIFF = """<?xml version="1.0"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="x"><body>
  <trans-unit id="1"><source>The <g id="1">old</g> dog<x id="2"/> &amp; cat</source></trans-unit>
  <trans-unit id="2"><source>The cat</source><target/></trans-unit>
  <trans-unit id="3"><source>Done</source><target>Fertig</target></trans-unit>
  <trans-unit id="4" translate="no"><source>Never</source></trans-unit>
</body></file></xliff>
"""
MEMORY = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>
  <tu><tuv xml:lang="en"><seg>The <ph x="1">{0}</ph> dog</seg></tuv></tu>
  <tu><tuv xml:lang="en"><seg>Done</seg></tuv><tuv xml:lang="de-DE"><seg>Fertig</seg></tuv></tu>
</body></tmx>
"""
TEXTS = {"html": PAGE, "markdown": NOTES, "srt": SUBTITLES, "vtt": CUES, "po": CATALOGUE, "xliff": XLIFF}


def shout(segment):
    """A translation that anyone can judge: capitals, each letter in its place."""
    return segment.with_marks(segment.text.upper(), [(mark.begin, mark.end) for mark in segment.marks])


def changed(name, text, **languages):
    return FORMATS[name].open(text.encode(), **languages).with_texts(shout)


@pytest.mark.parametrize(
    ("tag", "is_translated"),
    [
        ('<input type="submit" value="Go">', True),
        ('<input value="Go" type=reset name="r">', True),
        ('<input type="submit" name="action" value="Go">', False),
        ('<input name="action" type="submit" value="Go">', False),
        ('<input type="hidden" value="Go">', False),
    ],
)
def test_a_button_that_sends_its_value_keeps_it(tag, is_translated):
    document = FORMATS["html"].open(tag.encode())
    assert [segment.text for segment in document.segments] == (["Go"] if is_translated else [])


@pytest.mark.parametrize("name", TEXTS)
def test_only_letters_change(name):
    """What is neither white space nor filled in is the same, capitals aside."""
    source, target = TEXTS[name], changed(name, TEXTS[name])
    if name in ("html", "srt", "vtt"):
        assert (
            "".join(target.split()).lower()
            == "".join(source.replace("'Say \"so\"'", '"Say &quot;so&quot;"').split()).lower()
        )
    assert target != source
    assert changed(name, target).upper() == target.upper()


class Structure(HTMLParser):
    """Tags in their order, and the names of their attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, [name for name, _ in attributes]))

    def handle_endtag(self, tag):
        self.tags.append(tag)


def test_pages_keep_blocks_code_and_what_says_no():
    page = changed("html", PAGE)
    assert Structure(page).tags == Structure(PAGE).tags
    for piece in ("<pre>for x in y:\n    pass</pre>", "<code>git add</code>", "<p>Keep me</p>", ">Our team</a>"):
        assert piece in page
    for piece in ("<h1>THE HOUSE</h1>\n\n<p>", 'alt="A DOG"', 'content="ABOUT A HOUSE"', 'title="SAY &quot;SO&quot;"'):
        assert piece in page


def shape(text):
    """The structure of a text as markdown-it reads it, without its words."""
    from regard.text.formats.markdown import parser

    result = []
    for token in parser().parse(text):
        result.append((token.type, token.tag, token.content if token.type in ("fence", "code_block") else ""))
        for child in token.children or []:
            if child.type not in ("text", "softbreak"):
                kept = child.content if child.type in ("code_inline", "html_inline") else ""
                result.append((child.type, child.attrs.get("href"), child.attrs.get("src"), kept))
    return result


def test_markdown_keeps_its_structure_code_and_links():
    notes = changed("markdown", NOTES)
    assert shape(notes) == shape(NOTES)
    assert notes.startswith("---\ntitle: x\n---\n# THE *OLD* HOUSE")
    assert "| A DOG | `b` |" in notes
    assert '[THE PAGE](http://a.de/b "T")' in notes


@pytest.mark.parametrize(("name", "text"), [("srt", SUBTITLES), ("vtt", CUES)])
def test_subtitles_keep_their_times(name, text):
    pysubs2 = pytest.importorskip("pysubs2")
    before, after = (pysubs2.SSAFile.from_string(one, name) for one in (text, changed(name, text)))
    assert [(event.start, event.end) for event in after] == [(event.start, event.end) for event in before]
    words = [" ".join(event.plaintext.split()) for event in before]
    assert [" ".join(event.plaintext.split()).lower() for event in after] == [one.lower() for one in words]
    if name == "srt":
        assert [event.plaintext.count("\n") for event in after] == [event.plaintext.count("\n") for event in before]


def test_catalogues_get_what_they_lack():
    polib = pytest.importorskip("polib")
    before, after = (polib.pofile(one) for one in (CATALOGUE, changed("po", CATALOGUE)))
    assert [(entry.msgctxt, entry.msgid, entry.flags, entry.obsolete) for entry in after] == [
        (entry.msgctxt, entry.msgid, entry.flags, entry.obsolete) for entry in before
    ]
    assert after.metadata == before.metadata
    assert [entry.msgstr for entry in after][:2] == ['THE "DOG" IS <b>OLD</b>.\n', "zwei Teile"]
    assert after[2].msgstr_plural == {0: "%D DOG", 1: "%D DOGS"}


def test_units_of_xliff_get_a_target_and_keep_their_codes():
    tree = ElementTree.fromstring(changed("xliff", XLIFF))
    name = "{urn:oasis:names:tc:xliff:document:1.2}"
    units = list(tree.iter(f"{name}trans-unit"))
    targets = [unit.find(f"{name}target") for unit in units]
    assert ["".join(one.itertext()) for one in targets[:3]] == ["THE OLD DOG & CAT", "THE CAT", "Fertig"]
    assert targets[3] is None
    assert [child.tag for child in targets[0]] == [child.tag for child in units[0].find(f"{name}source")]


def test_memories_get_a_variant():
    tree = ElementTree.fromstring(changed("tmx", MEMORY, target_language="de"))
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    texts = [[(one.get(language), "".join(one.itertext())) for one in unit.iter("tuv")] for unit in tree.iter("tu")]
    assert texts == [[("en", "The {0} dog"), ("de", "THE {0} DOG")], [("en", "Done"), ("de-DE", "Fertig")]]
    with pytest.raises(FormatError, match="has to be said"):
        FORMATS["tmx"].open(MEMORY.encode())


def test_xml_that_declares_entities_is_refused():
    bomb = '<!DOCTYPE x [<!ENTITY a "b">]><xliff><source>&a;</source></xliff>'
    with pytest.raises(FormatError, match="declares entities"):
        FORMATS["xliff"].open(bomb.encode())
    with pytest.raises(FormatError, match="XML expected"):
        FORMATS["xliff"].open(b"<a><b></a>")


def test_word_files_keep_runs_links_and_tables():
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("The house", 1)
    paragraph = document.add_paragraph("It is ")
    paragraph.add_run("very").bold = True
    paragraph.add_run(" old.")
    document.add_table(1, 1).cell(0, 0).text = "a dog"
    saved = io.BytesIO()
    document.save(saved)
    new = docx.Document(io.BytesIO(FORMATS["docx"].open(saved.getvalue()).with_texts(shout)))
    assert [(one.style.name, one.text) for one in new.paragraphs] == [
        (one.style.name, one.text.upper()) for one in document.paragraphs
    ]
    assert [(run.text, run.bold) for run in new.paragraphs[1].runs] == [
        ("IT IS ", None),
        ("VERY", True),
        (" OLD.", None),
    ]
    assert new.tables[0].cell(0, 0).text == "A DOG"
    with pytest.raises(FormatError, match="a Word file expected"):
        FORMATS["docx"].open(b"no")


def test_opendocument_texts_keep_spans_and_all_other_members():
    odfdo = pytest.importorskip("odfdo")
    document = odfdo.Document("text")
    document.body.clear()
    paragraph = odfdo.Paragraph("It is very old.")
    paragraph.set_span("bold", regex="very")
    document.body.append(odfdo.Header(1, "The house"))
    document.body.append(paragraph)
    saved = io.BytesIO()
    document.save(saved)
    new = odfdo.Document(io.BytesIO(FORMATS["odt"].open(saved.getvalue()).with_texts(shout)))
    assert [one.text_recursive for one in new.body.children] == ["THE HOUSE", "IT IS VERY OLD."]
    assert [one.inner_text for one in new.body.get_spans()] == ["VERY"]
    with pytest.raises(FormatError, match="OpenDocument"):
        FORMATS["odt"].open(b"no")


def test_a_format_is_picked_by_the_end_of_a_name():
    assert format_of("a/b.HTML") is FORMATS["html"]
    assert format_of("book.en") is None
    assert format_named("text") is None
    assert set(MARKUPS) == {"html", "markdown", "srt", "vtt", "po", "xliff", "tags"}
    assert len({suffix for kind in FORMATS.values() for suffix in kind.suffixes}) == sum(
        len(kind.suffixes) for kind in FORMATS.values()
    )


def test_bytes_that_are_no_text_are_told():
    with pytest.raises(FormatError, match=re.escape("UTF-8 expected, got other bytes at 1")):
        FORMATS["html"].open(b"a\xff")


def test_a_block_that_would_lose_its_structure_is_left_as_it_is(caplog):
    text = "# A *red* house\n\nIt is **old** and `x`.\n\n- [x ] one\n- two\n"
    document = FORMATS["markdown"].open(text.encode())
    changed = document.with_texts(lambda segment: "    gone" if "old" in segment.text else segment.unchanged)
    assert changed == text
    assert "left as it is, lest its structure be lost: It is **old** and `x`." in caplog.text
    assert document.with_texts(lambda segment: segment.unchanged.replace("two", "zwei")) == text.replace("two", "zwei")


def test_tags_within_scripts_are_no_tags():
    page = (
        "<html><head><script>x = \"<a title='View it'>\";</script></head><body><p title='View it'>It.</p></body></html>"
    )
    document = FORMATS["html"].open(page.encode())
    assert [segment.text for segment in document.segments] == ["It.", "View it"]
    assert "x = \"<a title='View it'>\";" in document.with_texts(lambda segment: "Da.")


def test_a_cue_ends_where_another_begins():
    text = (
        "1\n00:00:01,000 --> 00:00:02,000\n00:00:02,000 --> 00:00:03,000\nYes.\n2\n00:00:04,000 --> 00:00:05,000\nNo.\n"
    )
    document = FORMATS["srt"].open(text.encode())
    assert [segment.text for segment in document.segments] == ["Yes.", "No."]
    assert document.with_texts(lambda segment: segment.unchanged) == text


def test_classes_and_times_within_a_cue_are_tags():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nthis<00:01.500><c> will</c><c.red.big> happen</c> <v.loud Ann>now</v>\n"
    document = FORMATS["vtt"].open(text.encode())
    (segment,) = document.segments
    assert segment.text == "this will happen now"
    assert document.with_texts(lambda segment: segment.unchanged) == text


def test_links_that_are_named_by_their_words_keep_their_names():
    text = "See [the page][], [the\n*page*] and [x].\n\n[the page]: http://a.de\n[the *page*]: http://b.de\n"
    document = FORMATS["markdown"].open(text.encode())
    spelled = document.with_texts(lambda segment: segment.unchanged.replace("See", "Siehe"))
    assert spelled.replace("\\", "").startswith("Siehe [the page][the page], [the *page*][the *page*] and [x].")


def test_the_box_of_a_task_is_no_part_of_its_text():
    document = FORMATS["markdown"].open(b"- [ ] a task\n- [x] a *done* task\n- [ ]\n")
    assert [segment.text for segment in document.segments] == ["a task", "a done task"]
    assert document.with_texts(lambda segment: segment.unchanged) == "- [ ] a task\n- [x] a *done* task\n- [ ]\n"
