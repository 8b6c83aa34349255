"""Texts cut without regard to words, a space being a letter like any other: `.spm` and `.model` files."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from regard.settings import Range, Settings
from regard.text.encoded import Encoded
from regard.text.files import LARGEST, TokenizerError, check_numbers, read_settings, read_vocabulary
from regard.untrusted import first_line, read_bytes

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
MODELS = ("spiece.model", "tokenizer.model")


def processor(path: Path) -> "SentencePieceProcessor":
    """Read a file of the `sentencepiece` package: Kudo and Richardson 2018."""
    try:
        import sentencepiece
    except ImportError:
        line = f"{path}: reading it needs sentencepiece: pip install 'regard[sentencepiece]'"
        raise TokenizerError(line) from None
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=read_bytes(path, LARGEST, TokenizerError))
    except (RuntimeError, ValueError, TypeError) as problem:
        if isinstance(problem, TokenizerError):
            raise
        raise TokenizerError(f"{path}: no readable sentencepiece model ({first_line(problem)})") from None


class SentencePiece:
    """Pieces of a sentencepiece model under the numbers of a vocabulary.

    `names` are the special tokens, which the model never finds in a text; `before` and `after` go around one.
    """

    def __init__(
        self,
        model: "SentencePieceProcessor",
        vocabulary: Mapping[str, int],
        names: Collection[str],
        *,
        unknown: str,
        before: Sequence[str] = (),
        after: Sequence[str] = (),
    ) -> None:
        self.model = model
        self.vocabulary: dict[str, int] = dict(vocabulary)
        self.names: set[str] = {name for name in names if name in vocabulary}
        self.special: frozenset[int] = frozenset(vocabulary[name] for name in self.names)
        self.unknown = unknown
        self.before: tuple[str, ...] = tuple(before)
        self.after: tuple[str, ...] = tuple(after)
        self.pieces: dict[int, str] = {number: piece for piece, number in vocabulary.items()}

    def encode(self, text: str, pair: str | None, special_tokens: Collection[str], *, bare: bool) -> Encoded:
        rows: list[tuple[str, tuple[int, int], int | None, int | None]] = []
        for number, part in enumerate([text] if pair is None else [text, pair]):
            around = ([], []) if bare else ([*self.before], [*self.after])
            rows += [(name, (0, 0), None, None) for name in around[0]]
            rows += [(*piece, number) for piece in self.read(part, special_tokens)]
            rows += [(name, (0, 0), None, None) for name in around[1]]
        tokens, offsets, words, texts = zip(*rows, strict=True) if rows else ((), (), (), ())
        ids = tuple(self.vocabulary[token] for token in tokens)
        return Encoded(ids, tokens, offsets, words, (0,) * len(ids), texts)

    def read(self, text: str, special_tokens: Collection[str]) -> list[tuple[str, tuple[int, int], int]]:
        """Tokens of a text, where they stand and in which word."""
        pieces: list[tuple[str, tuple[int, int], int]] = []
        word, start = -1, 0
        pattern = "|".join(re.escape(name) for name in sorted(special_tokens, key=len, reverse=True))
        for part in re.split(f"({pattern})", text) if special_tokens else [text]:
            if part in special_tokens:
                word += 1
                pieces.append((part, (start, start + len(part)), word))
            else:
                for piece, begin, end in self.cut(part):
                    word += piece.startswith(SPACE) or word < 0
                    is_known = piece in self.vocabulary and piece not in self.names
                    pieces.append((piece if is_known else self.unknown, (start + begin, start + end), word))
            start += len(part)
        return pieces

    def cut(self, text: str) -> list[tuple[str, int, int]]:
        try:
            encoding = self.model.encode(text, return_type="offset_mapping")
        except (RuntimeError, ValueError, TypeError) as problem:
            raise TokenizerError(f"the tokeniser cannot read this text: {first_line(problem)}") from None
        return [(piece, *span) for piece, span in zip(encoding["pieces"], encoding["offsets"], strict=True)]

    def decode(self, ids: Sequence[int]) -> str:
        """Pieces joined; special tokens stand apart, as words do."""
        parts: list[str] = []
        pieces: list[str] = []
        for piece in (self.pieces[number] for number in ids if number in self.pieces):
            if piece in self.names:
                parts += [self.model.decode_pieces(pieces), f"{piece} "]
                pieces = []
            else:
                pieces.append(piece)
        joined = "".join([*parts, self.model.decode_pieces(pieces)])
        return joined.replace(SPACE, " ").strip()


def load_marian(folder: Path, settings: Settings, names: Mapping[str, str]) -> tuple[SentencePiece, SentencePiece]:
    """Both sides of a Marian model: source.spm, target.spm and vocab.json (target_vocab.json if it has its own)."""
    vocabulary = read_vocabulary(folder / "vocab.json")
    apart = settings.flag("separate_vocabs", False)
    target_vocabulary = read_vocabulary(folder / "target_vocab.json") if apart else vocabulary
    names = {"unk": "<unk>", "eos": "</s>", "pad": "<pad>", **names}
    sides = []
    for file, numbers in (("source.spm", vocabulary), ("target.spm", target_vocabulary)):
        for kind in ("unk", "eos"):
            if names[kind] not in numbers:
                raise TokenizerError(f"{folder}: {names[kind]} is not in the vocabulary of {file}")
        codes = [token for token in numbers if re.fullmatch(r">>.+<<", token)]
        special = [*names.values(), *codes]
        model = processor(folder / file)
        sides.append(SentencePiece(model, numbers, special, unknown=names["unk"], after=[names["eos"]]))
    return sides[0], sides[1]


def load_single(path: Path, settings: Settings, kind: str, names: Mapping[str, str]) -> SentencePiece:
    """A model that numbers its own pieces: T5, Llama, BertGeneration."""
    if kind not in AROUND:
        line = f"{path}: a sentencepiece model of {kind!r} is not supported, only {', '.join(sorted(AROUND))}"
        raise TokenizerError(f"{line}; a tokenizer.json would do")
    model = processor(path)
    vocabulary = {model.id_to_piece(number): number for number in range(model.get_piece_size())}
    extra = settings.integer("extra_ids", 100, Range(0, 1 << 16)) if kind == "t5" else 0
    sentinels = {f"<extra_id_{number}>": len(vocabulary) + extra - 1 - number for number in range(extra)}
    more = read_settings(path.parent / "added_tokens.json")
    check_numbers(more)
    added = {**sentinels, **more.entries}
    numbers = vocabulary | added
    control = [model.id_to_piece(number) for number in range(len(vocabulary)) if model.is_control(number)]
    before, after = AROUND[kind]
    unknown = model.id_to_piece(model.unk_id())
    own = {"bos": model.bos_id(), "eos": model.eos_id()}
    around = {kind: model.id_to_piece(number) for kind, number in own.items() if number >= 0} | dict(names)
    if missing := [kind for kind in (*before, *after) if around.get(kind) not in numbers]:
        raise TokenizerError(f"{path}: no {missing[0]} token in its vocabulary")
    return SentencePiece(
        model,
        numbers,
        [*control, unknown, *added, *names.values()],
        unknown=unknown,
        before=[around[name] for name in before],
        after=[around[name] for name in after],
    )


AROUND: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "t5": ((), ("eos",)),
    "bert-generation": ((), ()),
    "llama": (("bos",), ()),
}
"""What goes before and after a text."""
