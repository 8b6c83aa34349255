"""The models that a page may ask for, and those that are loaded. Nothing else on the disk can be named."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from weakref import WeakValueDictionary

from regard.errors import RegardError, UnknownName
from regard.viewer.payload import ModelInfo, ModelState

if TYPE_CHECKING:
    from regard.tasks import Task
    from regard.tasks.listing import ListedModel


class ModelStore:
    """Built-in and cached models, and folders that were named when the server was started.

    `loaded` are the models that were asked for last, `max_loaded` of them; one that is in use beyond these stays in
    `alive` for as long as somebody holds it, and is not loaded a second time. torch is imported when the first model is
    listed or loaded: the page is there before it.
    """

    def __init__(self, folders: dict[str, Path] | None = None, device: str | None = None, max_loaded: int = 3) -> None:
        self.folders: dict[str, Path] = folders or {}
        self.device = device
        self.max_loaded = max_loaded
        self.loaded: OrderedDict[str, Task] = OrderedDict()
        self.alive: WeakValueDictionary[str, Task] = WeakValueDictionary()
        self.states: dict[str, tuple[ModelState, float]] = {}
        self.problems: dict[str, str] = {}
        self.listed_models: dict[str, ListedModel] | None = None
        self._loading, self._listing, self._changing = threading.Lock(), threading.Lock(), threading.Lock()

    def models(self) -> dict[str, "ListedModel"]:
        """What there is, read once."""
        with self._listing:
            if self.listed_models is None:
                from regard.tasks.listing import describe, list_models

                folders = {name: describe(name, folder, "folder") for name, folder in self.folders.items()}
                self.listed_models = folders | {
                    model.name: model for model in list_models() if model.name not in folders
                }
            return self.listed_models

    def model_infos(self, first: str | None) -> list[ModelInfo]:
        """Every model with its state; before they are read, only that the first one is being loaded."""
        if self.listed_models is not None:
            return [self.model_info(name, listed) for name, listed in self.listed_models.items()]
        return [] if first is None else [unlisted_model(first, "folder" if first in self.folders else "built in")]

    def model_info(self, name: str, listed: "ListedModel") -> ModelInfo:
        state, fraction = self.states.get(name, ("idle", 0.0))
        if state == "ready" and name not in self.loaded and name not in self.alive:
            state, fraction = "idle", 0.0
        return ModelInfo(
            name=name,
            where=listed.where,
            task=listed.task,
            architecture=listed.architecture,
            parameters=listed.parameters,
            size=listed.size,
            licence=listed.licence,
            problem=self.problems.get(name, listed.problem),
            state=state,
            fraction=fraction,
        )

    def get(self, name: str) -> "Task":
        """A model, loaded if it is not; the one that was not asked for longest makes room."""
        if (model := self.loaded_model(name)) is not None:
            return model
        self.states.setdefault(name, ("loading", 0.1))
        models = self.models()
        if name not in models:
            self.states.pop(name, None)
            from regard.tasks.find import suggestions

            raise UnknownName(f"no model {name!r} here; {suggestions(name)}")
        with self._loading:
            if (model := self.loaded_model(name)) is not None:
                return model
            self.states[name] = ("loading", 0.5)
            try:
                model = self.load(name)
            except RegardError as problem:
                self.states[name], self.problems[name] = ("failed", 0.0), str(problem)
                raise
            self.put(name, model)
            return model

    def loaded_model(self, name: str) -> "Task | None":
        """A model that is loaded, or still in use; it is now the one that was asked for last."""
        with self._changing:
            model = self.loaded.get(name)
            if model is None:
                model = self.alive.get(name)
        if model is not None:
            self.put(name, model)
        return model

    def put(self, name: str, model: "Task") -> None:
        """A model becomes the one that was asked for last."""
        with self._changing:
            self.loaded[name] = self.alive[name] = model
            self.loaded.move_to_end(name)
            self.states[name] = ("ready", 1.0)
            while len(self.loaded) > self.max_loaded:
                self.loaded.popitem(last=False)

    def load(self, name: str) -> "Task":
        from regard.tasks import load

        return load(self.folders.get(name, name), device=self.device)


def unlisted_model(name: str, where: Literal["built in", "folder"]) -> ModelInfo:
    """A model of which nothing is known yet."""
    return ModelInfo(
        name=name,
        where=where,
        task="",
        architecture="",
        parameters=0,
        size=0,
        licence="",
        problem="",
        state="loading",
        fraction=0.0,
    )
