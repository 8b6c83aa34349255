"""How large the numbers of a model may be: wide enough for all that was published, and small enough to be built.

Whoever reads a number from a file holds it to its range; from there on it is trusted.
"""

from regard.settings import Range

VOCABULARY = Range(1, 1 << 24)
LAYERS = Range(1, 1024)
STACK_LAYERS = Range(0, 1024)
WIDTH = Range(1, 1 << 17)
FEED_FORWARD_WIDTH = Range(1, 1 << 20)
OPTIONAL_FEED_FORWARD = Range(0, 1 << 20)
HEADS = Range(1, 1024)
POSITIONS = Range(1, 1 << 24)
BUCKETS = Range(2, 1 << 16)
COUNT = Range(0, 1 << 24)
SEGMENTS = Range(0, 1024)
SEGMENTS_OF_BERT = Range(1, 1024)
LABELS = Range(1, 1 << 20)
EPSILON = Range(1e-20, 1.0)
SHARE = Range(0, 1)
SCALE = Range(-1e6, 1e6)
SHARPNESS = Range(1e-6, 1e6)
PIXELS = Range(1, 1024)
CHANNELS = Range(1, 1024)
SCALES = Range(1, 6)
MEMORIES = Range(0, 1 << 20)
COPIES = Range(1, 1024)
EXPERTS = Range(0, 1024)
ROPE_BASE = Range(1, 1e12)
ROPE_FACTOR = Range(1e-6, 1e6)
