"""Words cut into the longest pieces that a list holds: vocab.txt, as BERT reads it."""

from collections.abc import Mapping
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from regard.settings import Settings
from regard.text.files import TokenizerError, read_text

NAMES = {"unk": "[UNK]", "sep": "[SEP]", "pad": "[PAD]", "cls": "[CLS]", "mask": "[MASK]"}


def wordpiece(path: Path, settings: Settings, names: Mapping[str, str]) -> Tokenizer:
    """Read vocab.txt: one piece a line. Devlin et al. 2019; the settings are those of tokenizer_config.json."""
    names = {**NAMES, **names}
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    vocabulary = {piece: number for number, piece in enumerate(lines[:-1] if lines[-1] == "" else lines)}
    missing = [names[kind] for kind in ("unk", "cls", "sep") if names[kind] not in vocabulary]
    if missing:
        raise TokenizerError(f"{path}: no {', '.join(missing)} among its {len(vocabulary)} pieces")
    if not settings.flag("do_basic_tokenize", True):
        settings.refuse("do_basic_tokenize", "true")
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token=names["unk"]))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=settings.flag("tokenize_chinese_chars", True),
        strip_accents=None if settings.get("strip_accents") is None else settings.flag("strip_accents", default=False),
        lowercase=settings.flag("do_lower_case", True),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    first, last = names["cls"], names["sep"]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first}:0 $A:0 {last}:0",
        pair=f"{first}:0 $A:0 {last}:0 $B:1 {last}:1",
        special_tokens=[(first, vocabulary[first]), (last, vocabulary[last])],
    )
    return tokenizer
