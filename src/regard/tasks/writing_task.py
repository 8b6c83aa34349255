"""What tasks share that write: the engine may do it with the weights of a folder, and then torch is not loaded."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from regard.tasks.inputs import Reading
from regard.tasks.processors.processor import Processor
from regard.tasks.task import OnProgress, Output, Task, in_order
from regard.text.batching import array_batches
from regard.text.encoded import Encoded

if TYPE_CHECKING:
    import typing_extensions

    WritingProcessor = typing_extensions.TypeVar("WritingProcessor", bound=Processor, default=Processor, covariant=True)
else:  # without the default, which only type checkers ask for
    WritingProcessor = TypeVar("WritingProcessor", bound=Processor, covariant=True)


class WritingTask(Task[WritingProcessor]):
    """A task whose texts go through `decode`, as arrays."""

    @property
    def writer(self) -> Any:
        """What writes: the engine with the weights of the folder, until somebody has asked for the model."""
        return self.folder_model or self.model

    def show(self, readings: Sequence[Reading]) -> None:
        """Whoever looks at the model is shown a pass over what was read and written."""
        if self.is_watched:
            from regard.tasks.replay import replay

            replay(self.model, readings, self.device)

    def in_batches(
        self, texts: Sequence[Encoded], run: Callable[[Any], Sequence[Output]], progress: OnProgress | None
    ) -> list[Output]:
        """One output for each text, in their order; those of like length go through the model together."""
        batches = array_batches(texts, pad=self.processor.padding, side=self.side)
        return in_order(batches, run, len(texts), progress)
