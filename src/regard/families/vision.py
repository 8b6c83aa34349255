"""Models that look at pictures: Dosovitskiy et al. 2021, Mnih et al. 2014. Written in our own layout."""

from regard.config import GlimpseConfig, VisionConfig
from regard.families import generic

VISION = generic.family(VisionConfig(size=6, patch=2, labels=5, width=24, layers=2, heads=4, feed_forward_width=32))
GLIMPSE = generic.family(GlimpseConfig(size=6, labels=4, width=8, glimpses=3))
