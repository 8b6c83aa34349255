"""Stories with questions about them: the layout of bAbI (Weston et al. 2015)."""

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from regard.text.lines import UNREADABLE, DataError, decode_line, read_lines


@dataclass(frozen=True)
class Question:
    """What was told before the question, oldest first, and the answer.

    `supports` are the positions in `story` of what the answer rests on; `where` is the file and the line.
    """

    story: tuple[str, ...]
    question: str
    answer: str
    supports: tuple[int, ...]
    where: str


@dataclass(frozen=True)
class Stories:
    """Questions in the order of their files. A file is text, or a .tar, .tar.gz or .tar.xz of such files.

    `members` says which files of an archive are meant, as in "*qa1_*_train.txt".
    """

    path: str | Path
    members: str = "*"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("story", "question", "answer")

    @classmethod
    def at(cls, path: str | Path) -> "Stories":
        """A file, an archive, or some files of an archive: "babi.tar.xz/*_train.txt"."""
        for above in Path(path).parents:
            if is_archive(above):
                return cls(above, f"*{Path(path).relative_to(above)}")
        return cls(path)

    @property
    def files(self) -> tuple[Path, ...]:
        return (Path(self.path),)

    def __iter__(self) -> Iterator[Question]:
        if not is_archive(Path(self.path)):
            yield from parse_questions(read_lines(self.path), str(self.path))
            return
        is_found = False
        try:
            with tarfile.open(self.path) as archive:
                for member in archive:
                    if member.isfile() and fnmatch(member.name, self.members):
                        is_found = True
                        where = f"{self.path}/{member.name}"
                        yield from parse_questions(self.read_member(archive, member, Path(where)), where)
        except (*UNREADABLE, tarfile.TarError) as problem:
            raise DataError(f"{self.path}: no readable archive ({problem})") from None
        if not is_found:
            raise DataError(f"{self.path}: no file in it is called {self.members}")

    @staticmethod
    def read_member(archive: tarfile.TarFile, member: tarfile.TarInfo, where: Path) -> Iterator[str]:
        file = archive.extractfile(member)
        assert file is not None  # it is a file
        for number, line in enumerate(file, 1):
            yield decode_line(line.removesuffix(b"\n"), where, number)


def is_archive(path: Path) -> bool:
    return not {".tar", ".tgz"}.isdisjoint(path.suffixes)


def parse_questions(lines: Iterator[str], where: str) -> Iterator[Question]:
    """Read "number text" and "number question<TAB>answer<TAB>numbers"; the number 1 begins another story."""
    story: list[str] = []
    positions: dict[int, int] = {}
    has_question, before, count = False, 0, 0
    for count, line in enumerate(lines, 1):
        here = f"{where}:{count}"
        digits, _, text = line.rstrip("\r").partition(" ")
        if not (digits.isascii() and digits.isdigit()) or not text.strip():
            raise DataError(f"{here}: a number and a sentence expected, got {line[:60]!r}")
        number = int(digits)
        if number not in (1, before + 1):
            raise DataError(f"{here}: line {before + 1} of the story expected, or 1 for another, got {number}")
        if number == 1:
            story, positions = [], {}
        before = number
        sentence, *more = text.split("\t")
        if not more:
            positions[number] = len(story)
            story.append(sentence.strip())
            continue
        has_question = True
        supports = more[1].split() if len(more) == 2 else []
        if (
            len(more) > 2
            or not more[0].strip()
            or any(not support.isdigit() or int(support) not in positions for support in supports)
        ):
            raise DataError(f"{here}: question<TAB>answer<TAB>lines of the story expected, got {line[:60]!r}")
        rests = tuple(positions[int(support)] for support in supports)
        yield Question(tuple(story), sentence.strip(), more[0].strip(), rests, here)
    if not has_question:
        raise DataError(f"{where}: {'no question in it' if count else 'empty, where a story is expected'}")
