"""Where a model is: in a folder, in the install, or on the Hugging Face Hub."""

import re
from collections.abc import Sequence
from os.path import isdir
from pathlib import Path

from regard.errors import CheckpointError, short_name
from regard.untrusted import CONFIG, first_line

BUILTIN = Path(__file__).parents[1] / "builtin"
FILES = [
    "config.json", "generation_config.json", "model.safetensors", "model.safetensors.index.json",
    "model-*.safetensors", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "target_tokenizer.json", "vocab.txt", "vocab.json", "target_vocab.json", "merges.txt", "source.spm", "target.spm",
    "spiece.model", "tokenizer.model", "modules.json", "sentence_bert_config.json", "config_sentence_transformers.json",
    "?_Pooling/config.json", "README.md",
]  # fmt: skip
"""What is taken from the Hub: settings, tokenisers, safetensors and the model card; never code, never a pickle."""
NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")


def find(name: str | Path, files: Sequence[str] = FILES) -> Path:
    """The folder of a model: a folder, a built-in name, or a Hub id (fetched once, then from the cache)."""
    if isdir(name):
        return Path(name)
    built_in = builtin()
    if str(name) in built_in:
        return built_in[str(name)]
    if isinstance(name, Path) or not NAME.fullmatch(name) or name.startswith("."):
        raise CheckpointError(f"{short_name(str(name))}: no such folder; {suggestions(str(name))}")
    return fetch(name, files)


def fetch(name: str, files: Sequence[str]) -> Path:
    """The folder of a Hub id in the cache, fetched if it can be."""
    from huggingface_hub import errors, snapshot_download
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    try:
        return Path(snapshot_download(name, allow_patterns=list(files)))
    except errors.GatedRepoError:
        reason = "its owner has to let you in"
    except errors.RepositoryNotFoundError:
        reason = "there is none of that name"
    except errors.LocalEntryNotFoundError:
        reason = "no connection, and it was never fetched"
    except Exception as problem:  # of many kinds: the network's, the Hub's, the cache's
        reason = first_line(problem)
    line = f"{short_name(name)}: no such folder, and not to be had from the Hugging Face Hub: {reason}"
    raise CheckpointError(f"{line}; {suggestions(name)}")


def builtin() -> dict[str, Path]:
    """Models that came with the install: name and folder."""
    return {path.parent.name: path.parent for path in sorted(BUILTIN.glob(f"*/{CONFIG}"))}


def cached_models() -> dict[str, Path]:
    """Models that were fetched from the Hub: id and folder."""
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        repositories = scan_cache_dir().repos
    except (CacheNotFound, OSError, ValueError):
        return {}
    folders = {}
    for repository in sorted(repositories, key=lambda repository: repository.repo_id):
        revisions = sorted(repository.revisions, key=lambda revision: revision.last_modified)
        if repository.repo_type == "model" and revisions:
            folders[repository.repo_id] = Path(revisions[-1].snapshot_path)
    return folders


def suggestions(name: str, most: int = 6) -> str:
    """What there is instead: "did you mean 'en-de'? built in: …; cached: …"."""
    from difflib import get_close_matches  # where a name is wrong, there is time to load it

    parts = []
    names_by_source = {"built in": sorted(builtin()), "cached": sorted(cached_models())}
    for where, names in names_by_source.items():
        more = f", … ({len(names)} in all)" if len(names) > most else ""
        parts.append(f"{where}: {', '.join(names[:most]) or 'nothing'}{more}")
    near = get_close_matches(name, [known_name for names in names_by_source.values() for known_name in names], n=1)
    return (f"did you mean {near[0]!r}? " if near else "") + "; ".join(parts)
