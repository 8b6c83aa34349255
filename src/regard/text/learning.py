"""Tokenisers learnt from texts. The same texts give the same tokeniser, however many threads count them."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from unicodedata import category

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from regard.text.files import TokenizerError
from regard.text.frames import Frame

SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
MARK = "@@"
JOINED = decoders.WordPiece(prefix="\0", cleanup=False)  # no token has a NUL: each gets a space before it
NEVER = -1e4  # the score of a piece that no text is to be cut into
BYTES = [f"<0x{number:02X}>" for number in range(256)]


def bpe(texts: Iterable[str], size: int, frame: Frame, lower: bool) -> Tokenizer:
    """Bytes merged into pieces, within words: no text is unknown, and none changes. Radford et al. 2019."""
    specials = list(frame.spell(unknown=False).values())
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    check_size(size, len(alphabet) + len(specials), "256 bytes")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = changes(lower, [normalizers.Prepend(" ")] if frame.prefix else [])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.Sequence(
        [decoders.ByteLevel(), *([decoders.Strip(" ", 1, 0)] if frame.prefix else [])]
    )
    learn(tokenizer, texts, trainers.BpeTrainer(vocab_size=size, special_tokens=specials, initial_alphabet=alphabet))
    return tokenizer


def unigram(texts: Iterable[str], size: int, frame: Frame, lower: bool) -> Tokenizer:
    """The likeliest pieces, a space being a letter; what no piece spells is spelled in bytes. Kudo 2018.

    No text changes, but for a literal "▁", which comes back as a space. Goes through the texts twice.
    """
    specials = list(frame.spell(unknown=True).values())
    # Text that reads like the name of a byte or of the unknown has to be spelled; a space is never spelled in bytes.
    spelling = sorted({SPACE, *"".join(BYTES), *frame.unknown})
    check_size(size, len(BYTES) + len(specials) + len(spelling), f"256 bytes, {len(spelling)} letters")
    tokenizer = Tokenizer(models.Unigram())
    replaced = normalizers.Replace(" ", SPACE)
    tokenizer.normalizer = changes(lower, [*([normalizers.Prepend(SPACE)] if frame.prefix else []), replaced])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(SPACE, "merged_with_next")
    piece_count = size - len(BYTES) - len(specials)
    texts = replay(texts)
    most = max(
        piece_count, len(letters(texts, tokenizer)) + 1
    )  # the trainer takes all letters; the rarest are left to the bytes
    learn(tokenizer, texts, trainers.UnigramTrainer(vocab_size=most + 1, special_tokens=["\0"], unk_token="\0"))
    learnt = scored_pieces(
        [tokenizer.model.id_to_token(number) or "" for number in range(1, tokenizer.get_vocab_size())], tokenizer
    )
    lowest = min((score for _, score in learnt), default=0.0)
    missing = [(letter, lowest) for letter in spelling if letter not in dict(learnt[: piece_count - len(spelling)])]
    others = [(piece, score) for piece, score in learnt if piece not in dict(missing)]
    scored = [(name, NEVER) for name in [*specials, *BYTES]] + others[: piece_count - len(missing)] + missing
    plain = Tokenizer(models.Unigram(scored, unk_id=specials.index(frame.unknown), byte_fallback=True))
    plain.normalizer, plain.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    strip = [decoders.Strip(" ", 1, 0)] if frame.prefix else []
    plain.decoder = decoders.Sequence([decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), *strip])
    return plain


def scored_pieces(names: list[str], learnt: Tokenizer) -> list[tuple[str, float]]:
    """Pieces with their scores, the best first; without what the trainer leaves to chance.

    That is the last digits of a score, and the scores of letters that it adds at the end, a ten-thousandth apart.
    """
    scores = dict(json.loads(learnt.to_str())["model"]["vocab"])
    scores_of = {name: float(scores[name]) for name in names}
    lowest = min(scores_of.values(), default=0.0)
    chance = lowest + 1e-4 * (1 + sum(len(name) == 1 for name in scores_of))
    rounded = {
        name: round(lowest if len(name) == 1 and score <= chance else score, 4) for name, score in scores_of.items()
    }
    return sorted(rounded.items(), key=lambda item: (-item[1], item[0]))


def wordpiece(texts: Iterable[str], size: int, frame: Frame, lower: bool) -> Tokenizer:
    """Words cut into the longest pieces that there are: Wu et al. 2016, as BERT reads them.

    The trainer numbers the letters inside words by chance, and decides ties by these numbers. So it is told them all.
    Goes through the texts twice; letters that would take more than half of the pieces are unknown, the rarest first.
    """
    texts = replay(texts)
    specials = list(frame.spell(unknown=True).values())
    check_size(size, len(specials) + 8, "some letters")
    tokenizer = Tokenizer(models.WordPiece(unk_token=frame.unknown))
    tokenizer.normalizer = changes(lower, [])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    counts = letters(texts, tokenizer)
    letters_used = sorted(
        frequent({letter: count for letter, count in counts.items() if not is_space(letter)}, size // 4)
    )
    unused = {f"##{letter}" for letter in letters_used if is_punctuation(letter)}
    special_tokens = [*specials, *letters_used, *(f"##{letter}" for letter in letters_used)]
    piece_count = size + len(unused)
    learn(
        tokenizer,
        texts,
        trainers.WordPieceTrainer(vocab_size=piece_count, special_tokens=special_tokens, limit_alphabet=0),
    )
    pieces = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    numbers = {piece: number for number, piece in enumerate(piece for piece, _ in pieces if piece not in unused)}
    plain = Tokenizer(models.WordPiece(numbers, unk_token=frame.unknown))
    plain.normalizer, plain.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    plain.decoder = decoders.WordPiece(prefix="##", cleanup=True)
    return plain


def characters(texts: Iterable[str], size: int, frame: Frame, lower: bool) -> Tokenizer:
    """Each character is a token, new lines too; the rarest are unknown where there are more than fit."""
    specials = list(frame.spell(unknown=True).values())
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = changes(lower, [])
    letters_used = sorted(frequent(letters(texts, tokenizer), learned_size(size, specials)))
    numbers = {token: number for number, token in enumerate([*specials, *letters_used])}
    tokenizer.model = models.BPE(numbers, [], unk_token=frame.unknown, fuse_unk=False)
    tokenizer.decoder = decoders.Fuse()
    return tokenizer


def words(texts: Iterable[str], size: int, frame: Frame, lower: bool) -> Tokenizer:
    """Words and runs of punctuation; spaces are not kept, and the rarest are unknown where there are too many."""
    tokenizer = word_list(texts, size, frame, lower, pre_tokenizers.Whitespace())
    tokenizer.decoder = decoders.WordPiece(prefix="\0", cleanup=True)
    return tokenizer


def plain_words(texts: Iterable[str], size: int, frame: Frame, lower: bool) -> Tokenizer:
    """Words alone: what stands between spaces, without the marks at its end."""
    tokenizer = word_list(texts, size, frame, lower, pre_tokenizers.Split(Regex(r"[.,;:!?]*(\s+|$)"), "removed"))
    tokenizer.decoder = decoders.WordPiece(prefix="\0", cleanup=True)
    return tokenizer


def bpe_marked(texts: Iterable[str], size: int, frame: Frame, lower: bool) -> Tokenizer:
    """Texts that are cut already: what stands between spaces is a token; "@@" at its end says that the word goes on."""
    tokenizer = word_list(texts, size, frame, lower, pre_tokenizers.Split(Regex(" +"), "removed"))
    tokenizer.decoder = decoders.Sequence([JOINED, decoders.Fuse(), decoders.Replace(Regex(f"{MARK}( |$)"), "")])
    return tokenizer


def word_list(
    texts: Iterable[str], size: int, frame: Frame, lower: bool, cut: pre_tokenizers.PreTokenizer
) -> Tokenizer:
    """A list of words, the most frequent first."""
    specials = list(frame.spell(unknown=True).values())
    learned_size(size, specials)
    tokenizer = Tokenizer(models.WordLevel(unk_token=frame.unknown))
    tokenizer.normalizer = changes(lower, [])
    tokenizer.pre_tokenizer = cut
    learn(tokenizer, texts, trainers.WordLevelTrainer(vocab_size=size or 1 << 31, special_tokens=specials))
    return tokenizer


KINDS: dict[str, Callable[[Iterable[str], int, Frame, bool], Tokenizer]] = {
    "bpe": bpe,
    "bpe-marked": bpe_marked,
    "characters": characters,
    "unigram": unigram,
    "unmarked": plain_words,
    "wordpiece": wordpiece,
    "words": words,
}
"""Ways to cut a text."""


Trainer = trainers.BpeTrainer | trainers.UnigramTrainer | trainers.WordLevelTrainer | trainers.WordPieceTrainer


def learn(tokenizer: Tokenizer, texts: Iterable[str], trainer: Trainer) -> None:
    trainer.show_progress = False
    tokenizer.train_from_iterator(texts, trainer)


def changes(lower: bool, more: list[normalizers.Normalizer]) -> normalizers.Normalizer:
    """What happens to a text before it is cut."""
    return normalizers.Sequence([*([normalizers.Lowercase()] if lower else []), *more])


def letters(texts: Iterable[str], tokenizer: Tokenizer) -> Counter[str]:
    """How often each character occurs."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(tokenizer.normalizer.normalize_str(text))
    return counts


def replay(texts: Iterable[str]) -> Iterable[str]:
    """Texts that can be gone through twice."""
    return list(texts) if iter(texts) is texts else texts


def frequent(counts: dict[str, int] | Counter[str], most: int) -> list[str]:
    """The most frequent, those that come first in Unicode where counts are equal."""
    return sorted(counts, key=lambda letter: (-counts[letter], letter))[:most]


def is_space(letter: str) -> bool:
    """Whether this is white space to the package, which goes by Unicode."""
    return letter.isspace() and letter not in "\x1c\x1d\x1e\x1f"


def is_punctuation(letter: str) -> bool:
    """Whether BERT's rules make a word of this character alone."""
    return category(letter).startswith("P") or (letter.isascii() and category(letter).startswith("S"))


def learned_size(size: int, specials: list[str]) -> int:
    """How many tokens there may be besides the special ones; any number where the size is 0."""
    if size:
        check_size(size, len(specials) + 1, "one token")
    return size - len(specials) if size else 1 << 31


def check_size(size: int, needed: int, what: str) -> None:
    if size < needed:
        raise TokenizerError(f"a tokeniser of size {size}: at least {needed} needed, for {what} and the special tokens")
