"""A tokeniser for a model that is about to be trained."""

import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from tokenizers import AddedToken

from regard.errors import lookup
from regard.files import make_folder, save_errors, write_file
from regard.text.compiled_tokenizer import CompiledTokenizer, package_errors
from regard.text.files import TokenizerError
from regard.text.frames import Frame, frame_of
from regard.text.learning import KINDS
from regard.text.specials import Specials
from regard.text.threads import threads
from regard.text.tokenizer import Tokenizer

TARGET = "target_tokenizer.json"


def train_tokenizer(
    kind: str,
    size: int,
    texts: Iterable[str],
    *,
    target: Iterable[str] | None = None,
    frame: str | Frame = "translation",
    lower: bool = False,
) -> Tokenizer:
    """Learn a tokeniser of at most `size` tokens, special ones included; 0 takes all words or characters there are.

    Kinds are those of KINDS; `frame` says what goes around a text. With `target`, what the model writes gets a
    tokeniser of its own; for a joint one give the texts of both sides. Texts keep their case and form unless `lower`.
    """
    frame = frame_of(frame)
    other = None if target is None else train_tokenizer(kind, size, target, frame=frame, lower=lower)
    make = lookup(KINDS, kind, "kind of tokeniser")
    with threads(), package_errors(f"no {kind} tokeniser of size {size} from these texts"):
        tokenizer = make(require_texts(texts), size, frame, lower)
    numbers = tokenizer.get_vocab()
    names_by_kind = {kind: name for kind, name in frame.spell(unknown=True).items() if name in numbers}
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in names_by_kind.values()])
    if template := frame.template(numbers):
        tokenizer.post_processor = template
    return Tokenizer(
        CompiledTokenizer(tokenizer),
        Specials(**{kind: numbers[name] for kind, name in names_by_kind.items()}),
        target=other,
    )


def save_tokenizer(tokenizer: Tokenizer, folder: str | Path) -> list[Path]:
    """Write what load_tokenizer and transformers read: tokenizer.json, tokenizer_config.json, and the files' names.

    A tokeniser of the other side, if there is one, is target_tokenizer.json.
    """
    folder = Path(folder)
    sides = {"tokenizer.json": tokenizer} | ({} if tokenizer.target is tokenizer else {TARGET: tokenizer.target})
    files: dict[str, str] = {}
    for name, side in sides.items():
        if not isinstance(side.model, CompiledTokenizer):
            raise TokenizerError(f"{folder / name}: only tokenisers of the tokenizers package can be written")
        files[name] = side.model.whole.to_str(pretty=True) + "\n"
    files["tokenizer_config.json"] = json.dumps(tokenizer_config(tokenizer), indent=2, ensure_ascii=False) + "\n"
    with save_errors(folder):
        make_folder(folder)
    for name, text in files.items():
        write_file(folder / name, text)
    return [folder / name for name in files]


def tokenizer_config(tokenizer: Tokenizer) -> dict[str, str | bool]:
    """tokenizer_config.json."""
    named = {kind: number for kind, number in vars(tokenizer.specials).items() if number is not None}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "padding_side": tokenizer.side,
        **{f"{kind}_token": tokenizer.token(number) for kind, number in named.items()},
    }


def require_texts(texts: Iterable[str]) -> Iterable[str]:
    """The same texts, of which there is at least one."""
    walk = iter(texts)
    first = next(walk, None)
    if first is None:
        raise TokenizerError("no text to learn a tokeniser from")
    return chain([first], walk) if walk is texts else texts
