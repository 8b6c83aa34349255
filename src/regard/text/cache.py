"""Texts as numbers on disk: encoded once, memory-mapped, found again by what they were made from."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from mmap import mmap
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy

from regard.files import SaveError, sweep, write_folder
from regard.text.compiled_tokenizer import CompiledTokenizer, package_errors
from regard.text.corpora import Corpus
from regard.text.lines import DataError
from regard.text.threads import threads
from regard.text.tokenizer import Tokenizer

VERSION = 1
CHUNK = 4096  # texts that are encoded at once
ABANDONED_SECONDS = 24 * 3600  # seconds after which half-written files belong to nobody
CONTENTS = "contents.json"

ColumnTokenizer = Tokenizer | Mapping[str, int]
"""How a column becomes numbers: by a tokeniser, or one number for each text (a label)."""


class TokenTable:
    """Many texts as numbers: text i is tokens[offsets[i]:offsets[i + 1]]. Tokens are memory-mapped, never written."""

    def __init__(self, path: Path) -> None:
        """`path` is that of two files, without their endings .tokens.npy and .offsets.npy."""
        self.path = path
        self.tokens: np.ndarray = np.load(f"{path}.tokens.npy", mmap_mode="r")
        self.offsets: np.ndarray = np.load(f"{path}.offsets.npy")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, text: int) -> np.ndarray:
        if not -len(self) <= text < len(self):
            raise IndexError(f"text {text} of {len(self)}")
        text %= len(self)
        return read_mapped(self.tokens, slice(self.offsets[text], self.offsets[text + 1]))

    @property
    def lengths(self) -> np.ndarray:
        """The number of tokens of every text."""
        return np.diff(self.offsets)

    def __reduce__(self) -> tuple[type["TokenTable"], tuple[Path]]:
        return TokenTable, (self.path,)  # another process maps the same files


def read_mapped(tokens: np.ndarray, part: slice | np.ndarray) -> np.ndarray:
    """A part of an array, copied. A file behind it that was cut short meanwhile is an error: the system kills whoever
    reads the rest of its map."""
    whole: object = tokens
    while isinstance(whole, np.ndarray):
        whole = whole.base
    if isinstance(whole, mmap) and whole.size() < len(whole):
        raise DataError(f"{getattr(tokens, 'filename', None)}: cut short while in use; the next start makes it anew")
    return np.array(tokens[part])


def token_tables(
    corpus: Corpus, tokenizers: Mapping[str, ColumnTokenizer], folder: str | Path, *, bare: bool = False
) -> dict[str, TokenTable]:
    """The columns of a corpus as numbers, from the cache in `folder` or written there: {"source": …, "target": …}.

    `coders` says how each column is read; columns that it does not name are left out. `bare` leaves out what a
    tokeniser puts around a text. The cache knows the content of files and tokenisers, not their names; a file in it
    that is not as it was written is made anew.
    """
    folder = Path(folder)
    if unknown := tokenizers.keys() - set(corpus.columns):
        raise DataError(f"no column {', '.join(sorted(unknown))}: there are {', '.join(corpus.columns)}")
    key = cache_key(corpus, tokenizers, bare)
    home = folder / key

    def write_unchanged(beside: Path) -> None:
        write(corpus, tokenizers, beside, bare)
        if cache_key(corpus, tokenizers, bare) != key:
            raise DataError(f"{corpus.files[0]}: changed while it was read; once it is whole, start again")

    if not is_complete(home, tokenizers):
        try:
            write_folder(home, write_unchanged)
            sweep(folder, "*", seconds=ABANDONED_SECONDS)
        except SaveError as problem:
            if not is_complete(home, tokenizers):  # if another process was first, its folder is as good
                raise DataError(f"{folder}: the token cache {problem.reason}") from None
    return {name: TokenTable(home / name) for name in tokenizers}


def cache_key(corpus: Corpus, tokenizers: Mapping[str, ColumnTokenizer], bare: bool) -> str:
    """A name that changes with anything that the numbers depend on."""
    read = [[name, tokenizer_description(tokenizer)] for name, tokenizer in tokenizers.items()]
    contents = [VERSION, bare, layout(corpus), [digest(path) for path in corpus.files], read]
    return hashlib.sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()[:32]


def layout(corpus: Corpus) -> list[object]:
    """How a corpus reads its files, whatever they are called."""
    names = {str(file) for file in corpus.files}
    rest = {name: value for name, value in vars(corpus).items() if str(value) not in names}
    inner = {name: layout(value) if isinstance(value, Corpus) else value for name, value in rest.items()}
    return [type(corpus).__name__, inner]


def tokenizer_description(tokenizer: ColumnTokenizer) -> dict[str, int] | str | list[str | dict[str, int]]:
    if not isinstance(tokenizer, Tokenizer):
        return dict(tokenizer)
    if isinstance(tokenizer.model, CompiledTokenizer):
        return hashlib.sha256(tokenizer.model.whole.to_str().encode()).hexdigest()
    return [type(tokenizer.model).__name__, tokenizer.vocabulary]


def digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise DataError(f"{path}: cannot be read ({problem.strerror or problem})") from None


def write(corpus: Corpus, tokenizers: Mapping[str, ColumnTokenizer], folder: Path, bare: bool) -> None:
    """Encode a corpus in one pass, a chunk at a time."""
    columns = {
        name: TokenTableWriter(folder / name, vocabulary_size(tokenizer)) for name, tokenizer in tokenizers.items()
    }
    column_indices = {name: corpus.columns.index(name) for name in tokenizers}
    samples, count = iter(corpus), 0
    try:
        while chunk := list(islice(samples, CHUNK)):
            for name, tokenizer in tokenizers.items():
                texts = [sample[column_indices[name]] for sample in chunk]
                columns[name].add(encode_texts(texts, tokenizer, bare, corpus, count))
            count += len(chunk)
        for column in columns.values():
            column.end()
    finally:
        for column in columns.values():
            column.close()
    sums = {file.name: [file.stat().st_size, digest(file)] for file in sorted(folder.glob("*.npy"))}
    (folder / CONTENTS).write_text(json.dumps(sums, indent=1), encoding="utf-8")


def encode_texts(
    texts: Sequence[str], tokenizer: ColumnTokenizer, bare: bool, corpus: Corpus, first: int
) -> Iterator[Sequence[int]]:
    """Texts as numbers; `first` is the number of the first of them in the corpus."""
    if not isinstance(tokenizer, Tokenizer):
        for number, text in enumerate(texts, first):
            if text not in tokenizer:
                raise DataError(f"{corpus.location(number)}: {text!r} is none of {', '.join(sorted(tokenizer)[:12])}")
            yield [tokenizer[text]]
    elif isinstance(tokenizer.model, CompiledTokenizer):
        where = f"{corpus.location(first)} and the {len(texts) - 1} texts after it"
        with threads(), package_errors(f"{where}: the tokeniser cannot read them"):
            encodings = tokenizer.model.reader(frozenset()).encode_batch_fast(list(texts), add_special_tokens=not bare)
        yield from (encoding.ids for encoding in encodings)
    else:
        yield from (tokenizer.encode(text, bare=bare).ids for text in texts)


def vocabulary_size(tokenizer: ColumnTokenizer) -> int:
    return len(tokenizer) if isinstance(tokenizer, Tokenizer) else max(tokenizer.values(), default=0) + 1


class TokenTableWriter:
    """Two .npy files that grow; the header, which says how long they are, is written at the end once more."""

    def __init__(self, path: Path, size: int) -> None:
        self.kinds: dict[str, np.dtype] = {
            "tokens": np.dtype("<u2" if size <= 1 << 16 else "<i4"),
            "offsets": np.dtype("<i8"),
        }
        self.files: dict[str, IO[bytes]] = {}
        self.counts: dict[str, int] = dict.fromkeys(self.kinds, 0)
        self.last: int = 0
        for name in self.kinds:
            self.files[name] = Path(f"{path}.{name}.npy").open("wb")  # noqa: SIM115 - close() does
            self.header(name)
        self.put("offsets", np.zeros(1))

    def add(self, texts: Iterator[Sequence[int]]) -> None:
        rows = list(texts)
        ends = self.last + np.cumsum([len(row) for row in rows])
        self.put("tokens", np.fromiter(chain.from_iterable(rows), np.int64))
        self.put("offsets", ends)
        self.last = int(ends[-1])

    def put(self, name: str, values: np.ndarray) -> None:
        self.files[name].write(values.astype(self.kinds[name]).tobytes())
        self.counts[name] += len(values)

    def header(self, name: str) -> None:
        header = {"descr": npy.dtype_to_descr(self.kinds[name]), "fortran_order": False, "shape": (self.counts[name],)}
        npy.write_array_header_1_0(self.files[name], header)  # numpy leaves room for a longer shape

    def end(self) -> None:
        for name, file in self.files.items():
            before = file.tell()
            file.seek(0)
            self.header(name)
            assert before == file.seek(0, os.SEEK_END)

    def close(self) -> None:
        for file in self.files.values():
            file.close()


def is_complete(home: Path, tokenizers: Mapping[str, ColumnTokenizer]) -> bool:
    """Whether the files are those that were written, to the last bit."""
    try:
        sums = json.loads((home / CONTENTS).read_text(encoding="utf-8"))
        expected = {f"{name}.{part}.npy" for name in tokenizers for part in ("tokens", "offsets")}
        sizes = all((home / name).stat().st_size == size for name, (size, _) in sums.items())
        return sums.keys() == expected and sizes and all(digest(home / name) == sum for name, (_, sum) in sums.items())
    except (OSError, ValueError, TypeError, AttributeError):
        return False
