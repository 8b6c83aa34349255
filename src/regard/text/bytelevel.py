"""Bytes merged into pieces, so that no text is unknown: vocab.json and merges.txt."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from regard.errors import lookup
from regard.settings import Settings, shown
from regard.text.files import TokenizerError, read_text, read_vocabulary
from regard.untrusted import first_line

ROBERTA = {"bos": "<s>", "eos": "</s>", "sep": "</s>", "cls": "<s>", "unk": "<unk>", "pad": "<pad>", "mask": "<mask>"}
GPT2 = {"bos": "<|endoftext|>", "eos": "<|endoftext|>", "unk": "<|endoftext|>"}


def bytelevel(folder: Path, settings: Settings, kind: str, names: Mapping[str, str]) -> Tokenizer:
    """Read vocab.json and merges.txt: Radford et al. 2019. `kind` is the family, which says what goes around a text."""
    finish, _ = lookup(FAMILIES, kind, f"family of byte-level tokenisers ({folder})")
    vocabulary = read_vocabulary(folder / "vocab.json")
    lines = read_text(folder / "merges.txt").replace("\r\n", "\n").split("\n")
    merges: list[tuple[str, str]] = []
    for line in lines:
        if not line or line.startswith("#version"):
            continue
        pair = line.split(" ")
        if len(pair) != 2 or pair[0] + pair[1] not in vocabulary:
            raise TokenizerError(f"{folder / 'merges.txt'}: {shown(line)} does not merge two pieces of vocab.json")
        merges.append((pair[0], pair[1]))
    try:
        tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    except Exception as problem:  # the package raises nothing more telling
        raise TokenizerError(f"{folder / 'merges.txt'}: {first_line(problem)}") from None
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=settings.flag("add_prefix_space", False))
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = finish(tokenizer, settings, names, folder)
    return tokenizer


def token_ids(tokenizer: Tokenizer, tokens: Iterable[str], folder: Path) -> list[tuple[str, int]]:
    """Tokens with their numbers."""
    ids: list[tuple[str, int]] = []
    for token in tokens:
        number = tokenizer.token_to_id(token)
        if number is None:
            raise TokenizerError(f"{folder / 'vocab.json'}: no {token} in it")
        ids.append((token, number))
    return ids


def frame_gpt2(
    tokenizer: Tokenizer, settings: Settings, names: Mapping[str, str], folder: Path
) -> processors.PostProcessor:
    """Nothing goes around a text, unless the settings ask for a token before or after it."""
    first, last = [[names[kind]] if settings.flag(f"add_{kind}_token", False) else [] for kind in ("bos", "eos")]
    texts = [[f"{piece}:{segment}" for piece in (*first, text, *last)] for text, segment in (("$A", 0), ("$B", 1))]
    special_tokens = token_ids(tokenizer, dict.fromkeys([*first, *last]), folder)
    return processors.TemplateProcessing(single=texts[0], pair=[*texts[0], *texts[1]], special_tokens=special_tokens)


def frame_roberta(
    tokenizer: Tokenizer, settings: Settings, names: Mapping[str, str], folder: Path
) -> processors.PostProcessor:
    """One token before a text, one after it, two between a pair."""
    first, last = token_ids(tokenizer, [names["cls"], names["sep"]], folder)
    return processors.RobertaProcessing(last, first, add_prefix_space=settings.flag("add_prefix_space", False))


Framing = Callable[[Tokenizer, Settings, Mapping[str, str], Path], processors.PostProcessor]
FAMILIES: dict[str, tuple[Framing, dict[str, str]]] = {
    "gpt2": (frame_gpt2, GPT2),
    "roberta": (frame_roberta, ROBERTA),
    "bart": (frame_roberta, ROBERTA),
}
"""What goes around a text, and what special tokens are called where no file says so."""
