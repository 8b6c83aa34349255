"""The tokeniser of a folder, from whichever files it has."""

from pathlib import Path

import tokenizers

from regard.settings import Settings, shown
from regard.text.compiled_tokenizer import CompiledTokenizer, load_compiled
from regard.text.files import TokenizerError, check_numbers, read_settings
from regard.text.specials import additional_tokens, flags, special_ids, special_tokens
from regard.text.tokenizer import Tokenizer
from regard.text.tokenizer_model import TokenizerModel

WORDPIECE = {"", "bert", "distilbert", "electra", "mobilebert", "mpnet", "funnel", "retribert", "squeezebert"}
FILES = "tokenizer.json, vocab.txt, vocab.json with merges.txt, source.spm with target.spm, or spiece.model"


def load_tokenizer(folder: str | Path, **changes: object) -> Tokenizer:
    """Read the tokeniser of a folder in the Hugging Face layout.

    `changes` go before what tokenizer_config.json says, as in do_lower_case=False.
    """
    folder = Path(folder)
    settings = read_settings(folder / "tokenizer_config.json")
    settings.entries = {**settings.entries, **changes}
    config = read_settings(folder / "config.json")
    kind = kind_of(settings, config)
    side = "left" if settings.one_of("padding_side", "right", ("left", "right")) == "left" else "right"
    names = special_tokens(folder)

    def whole(model: TokenizerModel, target: Tokenizer | None = None) -> Tokenizer:
        specials = special_ids(names, model.vocabulary, set(model.special), config)
        return Tokenizer(model, specials, side=side, target=target)

    if (folder / "tokenizer.json").is_file():
        other = folder / "target_tokenizer.json"  # ours, where the two sides have their own
        return whole(load_compiled(folder / "tokenizer.json"), whole(load_compiled(other)) if other.is_file() else None)
    from regard.text import sentencepiece  # what follows is rarer, and need not be waited for

    if (folder / "source.spm").is_file():
        source, target = sentencepiece.load_marian(folder, settings, names)
        names = {"unk": "<unk>", "eos": "</s>", "pad": "<pad>", **names}
        return whole(source, whole(target))
    for model in sentencepiece.MODELS:
        if (folder / model).is_file():
            model = sentencepiece.load_single(folder / model, settings, kind, names)
            names = {"unk": model.unknown, "eos": "</s>", "bos": "<s>", "pad": "<pad>", **names}
            return whole(model)
    if (folder / "vocab.txt").is_file():
        if kind not in WORDPIECE:
            raise TokenizerError(
                f"{folder / 'vocab.txt'}: the tokeniser of {kind!r} is not supported without tokenizer.json"
            )
        from regard.text.wordpiece import NAMES, wordpiece

        names = {**NAMES, **names}
        return whole(CompiledTokenizer(add_tokens(wordpiece(folder / "vocab.txt", settings, names), folder, names)))
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        from regard.text.bytelevel import FAMILIES, bytelevel

        names = {**(FAMILIES[kind][1] if kind in FAMILIES else {}), **names}
        return whole(CompiledTokenizer(add_tokens(bytelevel(folder, settings, kind, names), folder, names)))
    raise TokenizerError(f"{folder}: no tokeniser: {FILES} expected")


def kind_of(settings: Settings, config: Settings) -> str:
    """The family of a tokeniser: from its class, or from the model that it belongs to."""
    name = settings.text("tokenizer_class").removesuffix("Fast").removesuffix("Tokenizer").lower()
    general = name in ("", "pretrained", "tokenizersbackend", "auto")
    kind = config.text("model_type") if general else name
    return {"bertgeneration": "bert-generation", "mistral": "llama", "mt5": "t5"}.get(kind, kind)


def add_tokens(tokenizer: tokenizers.Tokenizer, folder: Path, names: dict[str, str]) -> tokenizers.Tokenizer:
    """The special tokens made known, and what added_tokens.json adds under its numbers."""
    token_flags = flags(folder)
    special_names = [name for name in dict.fromkeys(names.values()) if tokenizer.token_to_id(name) is not None]
    special = {*names.values(), *additional_tokens(folder)}
    added = read_settings(folder / "added_tokens.json")
    check_numbers(added)
    numbers = added.entries
    for token in [*special_names, *sorted(numbers, key=lambda token: numbers[token])]:
        is_special = token in special
        options = {"normalized": not is_special, **token_flags.get(token, {})}
        tokenizer.add_tokens([tokenizers.AddedToken(token, **options, special=is_special)])
        if token in numbers and tokenizer.token_to_id(token) != numbers[token]:
            number = tokenizer.token_to_id(token)
            raise TokenizerError(f"{added.where}: {shown(token)} would be {number}, not {numbers[token]}")
    return tokenizer
