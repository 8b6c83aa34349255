"""Everything inside a model that has a name, beside its patterns: the stream, head outputs, feed-forward, logits.

Nothing of a model is changed to reach it: while somebody looks, hooks stand at the modules where it passes.
"""

from regard.looking.activations.listing import Sites, sites
from regard.looking.activations.site import Site

__all__ = ["Site", "Sites", "sites"]
