"""The family of one folder, without waiting for all the others."""

from collections.abc import Mapping
from importlib import import_module

from regard.families.family import Family, architecture_of

HOMES = {
    "marian": ("marian", "FAMILY"),
    "bart": ("bart", "FAMILY"),
    "gpt2": ("gpt2", "FAMILY"),
    "llama": ("llama", "LLAMA"),
    "mistral": ("llama", "MISTRAL"),
    "qwen2": ("llama", "QWEN2"),
    "opt": ("opt", "FAMILY"),
    "t5": ("t5", "FAMILY"),
    "regard": ("generic", "FAMILY"),
}
"""Where the commonest are, by what config.json calls them; all are in the registry."""


def folder_family(config: Mapping[str, object], where: str) -> tuple[Family, str]:
    """The family whose layout a config.json has, and the class that it was saved by."""
    kind = config.get("model_type")
    if isinstance(kind, str) and kind in HOMES:
        module, name = HOMES[kind]
        family: Family = getattr(import_module(f"regard.families.{module}"), name)
    else:
        from regard.families.registry import family_of

        family = family_of(dict(config), where)
    return family, architecture_of(config, family, where)
