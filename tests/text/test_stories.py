import io
import tarfile

import pytest
from shared import shared

from regard.text import DataError, Question, Stories

STORY = """1 Mary moved to the bathroom.
2 John went to the hallway.
3 Where is Mary? \tbathroom\t1
4 John took the milk.
5 What has John? \tmilk\t2 4
1 Another one began.
2 What began?\tanother\t1
"""


def test_a_question_knows_what_was_told_before_it(tmp_path):
    (tmp_path / "qa.txt").write_text(STORY)
    first, second, third = Stories(tmp_path / "qa.txt")
    told = ("Mary moved to the bathroom.", "John went to the hallway.")
    assert first == Question(told, "Where is Mary?", "bathroom", (0,), f"{tmp_path / 'qa.txt'}:3")
    assert second.story == (*told, "John took the milk.")
    assert [second.story[sentence] for sentence in second.supports] == [told[1], "John took the milk."]
    assert third.story == ("Another one began.",)


def test_an_archive_gives_what_its_files_give(tmp_path):
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        for name in ("en/qa1_train.txt", "en/qa2_train.txt", "en/qa1_test.txt"):
            info = tarfile.TarInfo(name)
            info.size = len(STORY.encode())
            archive.addfile(info, io.BytesIO(STORY.encode()))
    assert len(list(Stories(tmp_path / "all.tar.gz"))) == 9
    found = list(Stories(tmp_path / "all.tar.gz", "*qa1_*"))
    assert [question.where.rpartition("/")[2] for question in found[::3]] == ["qa1_train.txt:3", "qa1_test.txt:3"]
    with pytest.raises(DataError, match=r"no file in it is called \*qa3_\*"):
        list(Stories(tmp_path / "all.tar.gz", "*qa3_*"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "qa.txt: empty, where lines"),
        ("1 A sentence.\n", "qa.txt: no question in it"),
        ("A sentence.\n", "qa.txt:1: a number and a sentence expected"),
        ("1 A sentence.\n3 Another.\n", "qa.txt:2: line 2 of the story expected, or 1 for another, got 3"),
        ("1 A.\n2 What?\tyes\t7\n", "qa.txt:2: question<TAB>answer<TAB>lines of the story expected"),
        ("1 A.\n2 What?\t\t1\n", "qa.txt:2: question<TAB>answer<TAB>lines of the story expected"),
    ],
)
def test_what_is_no_story_is_named_with_its_line(tmp_path, text, told):
    (tmp_path / "qa.txt").write_text(text)
    with pytest.raises(DataError, match=told):
        list(Stories(tmp_path / "qa.txt"))


def test_no_archive_is_one_clear_line(tmp_path):
    (tmp_path / "all.tar.xz").write_bytes(b"nothing of the kind")
    with pytest.raises(DataError, match=r"all\.tar\.xz: no readable archive"):
        list(Stories(tmp_path / "all.tar.xz"))


def test_all_of_babi_is_understood():
    found = list(Stories(shared("babi/babi-en-1k.tar.xz")))
    assert len(found) == 40_000
    assert all(question.story and question.answer for question in found)
    # The answers of task 1 are places that the supporting sentence names.
    one = list(Stories(shared("babi/babi-en-1k.tar.xz"), "*qa1_*_train.txt"))
    assert len(one) == 1000
    assert all(question.answer in question.story[question.supports[0]] for question in one)
