"""transformers' models, alive: what their layers attend to, and how that is changed, while they run as they always do.

Nothing of the model is replaced and no setting of it is changed. While a layer that somebody looks at runs, its calls
of torch's fused attention and of softmax are met on their way (intercept.py), so that what is seen is what the kernel
was really given: whatever the mask, the cache, the implementation and the thread. Layers that nobody looks at run
untouched.
Nothing here imports transformers unless the model did.
"""

from regard.looking.live.hooks import close, open_up
from regard.looking.live.layers import Layers, attention_layers, is_live, pretrained

__all__ = ["Layers", "attention_layers", "close", "is_live", "open_up", "pretrained"]
