"""What depends on the query: one file per way to compare it with a key."""

from regard.attention.scores.additive import Additive, AdditiveCompare
from regard.attention.scores.dot import Bilinear, Cosine, Dot, ScaledDot, Tempered
from regard.attention.scores.kernel import FEATURES, Kernel, KernelCompare
from regard.attention.scores.local import Local
from regard.attention.scores.location import Location, LocationCompare
from regard.attention.scores.score import Compare, Score
from regard.attention.scores.shaw import Shaw, ShawCompare
from regard.attention.scores.softcap import SoftCap, SoftCapped
from regard.attention.scores.xl import XL, XLCompare

SCORES: dict[str, type[Compare]] = {
    "dot": ScaledDot,
    "cosine": Cosine,
    "tempered": Tempered,
    "bilinear": Bilinear,
    "additive": AdditiveCompare,
    "location": LocationCompare,
    "shaw": ShawCompare,
    "xl": XLCompare,
    "kernel": KernelCompare,
    "softcap": SoftCapped,
}

__all__ = [
    "FEATURES",
    "SCORES",
    "XL",
    "Additive",
    "AdditiveCompare",
    "Bilinear",
    "Compare",
    "Cosine",
    "Dot",
    "Kernel",
    "KernelCompare",
    "Local",
    "Location",
    "LocationCompare",
    "ScaledDot",
    "Score",
    "Shaw",
    "ShawCompare",
    "SoftCap",
    "SoftCapped",
    "Tempered",
    "XLCompare",
]
