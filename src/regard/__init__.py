"""Attention you can see.

The public names are loaded when first used, so that `import regard` does not wait for torch.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from regard.lazy import lazy_names

if TYPE_CHECKING:
    from regard.attention import Pattern, attend, soft_dictionary
    from regard.checkpoints import join
    from regard.engine import refresh
    from regard.looking import (
        attribute,
        edit,
        logit_attribution,
        pair_score,
        patch,
        path_patch,
        prune,
        sites,
        verify,
        watch,
        watchable,
    )
    from regard.tasks import load

__version__ = "0.1.0"
__all__ = [
    "Pattern", "__version__", "attend", "attribute", "edit", "join", "load", "logit_attribution", "pair_score", "patch",
    "path_patch", "prune", "refresh", "sites", "soft_dictionary", "verify", "watch", "watchable",
]  # fmt: skip

_PUBLIC = {
    "Pattern": "regard.attention",
    "attend": "regard.attention",
    "attribute": "regard.looking",
    "edit": "regard.looking",
    "join": "regard.checkpoints",
    "load": "regard.tasks",
    "logit_attribution": "regard.looking",
    "pair_score": "regard.looking",
    "patch": "regard.looking",
    "path_patch": "regard.looking",
    "prune": "regard.looking",
    "refresh": "regard.engine",
    "sites": "regard.looking",
    "soft_dictionary": "regard.attention",
    "verify": "regard.looking",
    "watch": "regard.looking",
    "watchable": "regard.looking",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)
