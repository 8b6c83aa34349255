"""What depends on the query: one file per way to compare it with a key."""

from regard.attention.scores.additive import Additive, LearnedAdditive
from regard.attention.scores.disentangled import Disentangled
from regard.attention.scores.dot import Bilinear, Cosine, Dot, LearnedTemperature, ScaledDot
from regard.attention.scores.kernel import FEATURES, Kernel, KernelFeatures
from regard.attention.scores.local import Local
from regard.attention.scores.location import LearnedLocation, Location
from regard.attention.scores.score import LearnedScore, Score
from regard.attention.scores.shaw import LearnedShaw, Shaw
from regard.attention.scores.softcap import ScaledSoftCap, SoftCap
from regard.attention.scores.xl import LearnedXL, XLScore

SCORES: dict[str, type[LearnedScore]] = {
    "dot": ScaledDot,
    "cosine": Cosine,
    "tempered": LearnedTemperature,
    "bilinear": Bilinear,
    "additive": LearnedAdditive,
    "location": LearnedLocation,
    "shaw": LearnedShaw,
    "xl": LearnedXL,
    "kernel": KernelFeatures,
    "softcap": ScaledSoftCap,
}

__all__ = [
    "FEATURES",
    "SCORES",
    "Additive",
    "Bilinear",
    "Cosine",
    "Disentangled",
    "Dot",
    "Kernel",
    "KernelFeatures",
    "LearnedAdditive",
    "LearnedLocation",
    "LearnedScore",
    "LearnedShaw",
    "LearnedTemperature",
    "LearnedXL",
    "Local",
    "Location",
    "ScaledDot",
    "ScaledSoftCap",
    "Score",
    "Shaw",
    "SoftCap",
    "XLScore",
]
