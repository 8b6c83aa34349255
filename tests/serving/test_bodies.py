"""What a client sent, whichever way. Also tests: serving/file_store.py."""

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.serving.bodies import SentFile, form_fields, part_fields
from regard.serving.file_store import FileStore
from regard.serving.limits import ServiceLimits
from regard.serving.refusals import Refusal


@given(st.binary(max_size=300), st.text(st.characters(exclude_categories=("Cs",)), max_size=40))
def test_a_form_with_a_file_is_read_as_another_library_wrote_it(content, text):
    request = httpx2.Request("POST", "http://a/", data={"q": text}, files={"file": ("a b.txt", content)})
    fields = part_fields(request.read(), request.headers["content-type"])
    assert fields == {"q": text, "file": SentFile("a b.txt", content)}


def test_a_name_that_comes_twice_has_a_list():
    assert form_fields("q=a&q=b&c=%C3%A4&d[]=1") == {"q": ["a", "b"], "c": "ä", "d": "1"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "multipart/form-data"),
        (b"--a\r\n\r\nx\r\n--a--\r\n", "multipart/form-data; boundary=a"),
        (b"--a\r\nno end", "multipart/form-data; boundary=a"),
        (b'--a\r\ncontent-disposition: form-data; name="q"\r\n\r\n\xff\r\n--a--', "multipart/form-data; boundary=a"),
        (b"--a\r\n" * 90 + b"--a--", "multipart/form-data; boundary=a"),
    ],
)
def test_a_form_that_is_none_is_refused(body, kind):
    with pytest.raises(Refusal, match="body: "):
        part_fields(body, kind)


def test_a_form_that_is_no_utf8_is_refused():
    with pytest.raises(Refusal, match="a form in UTF-8"):
        form_fields("q=%ff")


def test_old_files_make_room():
    store = FileStore(ServiceLimits(stored_files=2, stored_bytes=10))
    first, second = store.add("a.txt", b"1"), store.add("b.../x", b"2")
    assert first.endswith(".txt")
    assert second.isalnum()
    third = store.add("c.odt", b"3" * 9)
    assert store.get(third) == b"3" * 9
    with pytest.raises(Refusal, match="no such file"):
        store.get(first)
    large = store.add("d", b"4" * 100)
    assert store.get(large)
    with pytest.raises(Refusal, match="no such file"):
        store.get(third)
