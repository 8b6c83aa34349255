"""Looking inside a model that runs: watch and edit; which heads matter, what flows, what changed."""

from regard.looking.ablation import ablation
from regard.looking.activations import Site, Sites, sites
from regard.looking.attribution import OutputAttribution, TokenAttribution, attribute, attribute_outputs
from regard.looking.confidence import confidence
from regard.looking.diff import PatternDifference, differences
from regard.looking.direct_logits import LogitAttribution, logit_attribution
from regard.looking.edit import Edits, edit
from regard.looking.evaluation_set import EvaluationSet, Scores
from regard.looking.flow import flow
from regard.looking.importance import importance
from regard.looking.norms import WeightedNorms, weighted_norms
from regard.looking.pair_score import PairScore, pair_score
from regard.looking.patching import PatchGrid, patch
from regard.looking.path_patching import PathPatch, path_patch
from regard.looking.prune import prune
from regard.looking.ranking import weakest
from regard.looking.rollout import Rollout, rollout
from regard.looking.sparse import learned_gates
from regard.looking.verify import Verification, verify
from regard.looking.watch import Seen, watch
from regard.looking.watchable import Watchable, watchable

__all__ = [
    "Edits",
    "EvaluationSet",
    "LogitAttribution",
    "OutputAttribution",
    "PairScore",
    "PatchGrid",
    "PathPatch",
    "PatternDifference",
    "Rollout",
    "Scores",
    "Seen",
    "Site",
    "Sites",
    "TokenAttribution",
    "Verification",
    "Watchable",
    "WeightedNorms",
    "ablation",
    "attribute",
    "attribute_outputs",
    "confidence",
    "differences",
    "edit",
    "flow",
    "importance",
    "learned_gates",
    "logit_attribution",
    "pair_score",
    "patch",
    "path_patch",
    "prune",
    "rollout",
    "sites",
    "verify",
    "watch",
    "watchable",
    "weakest",
    "weighted_norms",
]  # fmt: skip
