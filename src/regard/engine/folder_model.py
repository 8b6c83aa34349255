"""A model in a folder, its weights in the engine: text in, text out, and no torch."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from regard.config import Config
from regard.engine.build import why
from regard.engine.folder_weights import FolderWeights
from regard.engine.library import EngineError, Library, library
from regard.engine.packed_cache import kept_model
from regard.engine.packed_model import PRECISIONS, PackedModel
from regard.engine.parts import Unsupported
from regard.engine.state import EngineState
from regard.errors import RegardError, lookup


@dataclass
class PackedModels:
    """One model in as many precisions as were asked for."""

    library: Library
    weights: FolderWeights
    by_precision: dict[str, PackedModel] = field(default_factory=dict)
    packing: threading.Lock = field(default_factory=threading.Lock)

    def pack(self, precision: str) -> PackedModel:
        with self.packing:
            if precision not in self.by_precision:
                try:
                    self.by_precision[precision] = kept_model(self.library, self.weights, precision)
                except EngineError as problem:
                    raise Unsupported(str(problem)) from None
            return self.by_precision[precision]


@dataclass(frozen=True)
class FolderModel:
    """What takes the steps of a folder's model (decoding/array_steps.py): the engine, with the weights of the files.

    `entries` are those of config.json, `config` is ours.
    """

    folder: Path
    entries: dict[str, object]
    config: Config
    models: PackedModels
    precision: str = "float32"

    @classmethod
    def open(cls, folder: Path, *, wait: bool = False) -> "FolderModel":
        """The model of a folder. Raises Unsupported where torch is needed, if only to say what is wrong; `wait` builds
        the engine, if it is not there."""
        engine = library(wait)
        if engine is None:
            raise Unsupported(why() or "the engine is switched off, or its library cannot be loaded")
        weights = FolderWeights.open(folder)
        models = PackedModels(engine, weights)
        models.pack(cls.precision)
        return cls(folder, weights.entries, weights.config, models)

    def packed(self) -> PackedModel:
        try:
            return self.models.pack(self.precision)
        except Unsupported as problem:  # of another precision than it was opened in
            raise RegardError(f"{self.folder}: {problem}") from None

    def with_precision(self, precision: str) -> "FolderModel":
        """The same with weights of a precision."""
        lookup(PRECISIONS, precision, "precision")
        return self if precision == self.precision else replace(self, precision=precision)

    @property
    def has_source(self) -> bool:
        return self.packed().has_source

    def start(self, source: Any, attention_mask: Any) -> EngineState:
        return EngineState(self.packed(), source, attention_mask)

    def start_watched(
        self, layers: Sequence[str], source: np.ndarray | None, attention_mask: np.ndarray | None
    ) -> EngineState:
        """The same, with what these layers look from kept, for `looks.py`."""
        return EngineState(self.packed(), source, attention_mask, (), layers)

    def next_scores(
        self, state: EngineState, tokens: np.ndarray, attention_mask: np.ndarray | None
    ) -> tuple[np.ndarray, EngineState]:
        return state.step(tokens, attention_mask), state

    def select_rows(self, state: EngineState, rows: np.ndarray) -> EngineState:
        return state.select(rows)
