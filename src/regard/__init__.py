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
        attribute_outputs,
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
    from regard.looking.circuits import circuits
    from regard.looking.composition import composition
    from regard.looking.lens import lens
    from regard.looking.memories import promoted_tokens, triggers
    from regard.looking.probes import probe
    from regard.looking.tables import ov, qk
    from regard.looking.tuned_lens import TunedLens, tuned_lens
    from regard.tasks import attribute_text, load

__version__ = "0.1.0"
__all__ = [
    "Pattern", "TunedLens", "__version__", "attend", "attribute", "attribute_outputs", "attribute_text", "circuits",
    "composition", "edit", "join", "lens", "load", "logit_attribution", "ov", "pair_score", "patch", "path_patch",
    "probe", "promoted_tokens", "prune", "qk", "refresh", "sites", "soft_dictionary", "triggers", "tuned_lens",
    "verify", "watch", "watchable",
]  # fmt: skip

_PUBLIC = {
    "Pattern": "regard.attention",
    "TunedLens": "regard.looking.tuned_lens",
    "attend": "regard.attention",
    "attribute": "regard.looking",
    "attribute_outputs": "regard.looking",
    "attribute_text": "regard.tasks",
    "circuits": "regard.looking.circuits",
    "composition": "regard.looking.composition",
    "edit": "regard.looking",
    "join": "regard.checkpoints",
    "lens": "regard.looking.lens",
    "load": "regard.tasks",
    "logit_attribution": "regard.looking",
    "ov": "regard.looking.tables",
    "pair_score": "regard.looking",
    "patch": "regard.looking",
    "path_patch": "regard.looking",
    "probe": "regard.looking.probes",
    "promoted_tokens": "regard.looking.memories",
    "prune": "regard.looking",
    "qk": "regard.looking.tables",
    "refresh": "regard.engine",
    "sites": "regard.looking",
    "soft_dictionary": "regard.attention",
    "triggers": "regard.looking.memories",
    "tuned_lens": "regard.looking.tuned_lens",
    "verify": "regard.looking",
    "watch": "regard.looking",
    "watchable": "regard.looking",
}

__getattr__: Callable[[str], object]
__dir__: Callable[[], list[str]]
__getattr__, __dir__ = lazy_names(__name__, _PUBLIC)
