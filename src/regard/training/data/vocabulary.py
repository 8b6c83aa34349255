"""The tokeniser of a run: a given one, or one learned from its texts, once."""

from collections.abc import Iterable
from pathlib import Path

from regard.files import write_folder
from regard.text import Tokenizer, load_tokenizer, save_tokenizer, train_tokenizer
from regard.text.files import TokenizerError
from regard.training.recipe.recipe import Recipe

FOLDER = "tokenizer"


def tokenizer_of(
    recipe: Recipe, home: Path, texts: Iterable[str], target: Iterable[str] | None = None, *, frame: str
) -> Tokenizer:
    """The tokeniser in `home`, made now if there is none; that of the folder to start from, or a tokenizer.json."""
    folder = home / FOLDER
    if folder.is_dir():
        return load_tokenizer(folder)
    kind = recipe.tokenizer.kind
    if recipe.start:
        tokenizer = load_tokenizer(recipe.start)
    elif kind.endswith(".json"):
        if not Path(kind).is_file():
            raise TokenizerError(f"{kind}: no such file")
        tokenizer = load_tokenizer(Path(kind).parent)
    else:
        tokenizer = train_tokenizer(
            kind, recipe.tokenizer.size, texts, target=target, frame=frame, lower=recipe.tokenizer.lowercase
        )
    return load_tokenizer(write_folder(folder, lambda beside: save_tokenizer(tokenizer, beside)))


def tokenizer_files(home: Path) -> list[Path]:
    """What goes into every checkpoint."""
    return sorted(path for path in (home / FOLDER).iterdir() if path.is_file())
