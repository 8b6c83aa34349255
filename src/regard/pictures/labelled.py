"""What every result has in common: its numbers as an array, and as a table whose axes have names and labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from regard.errors import RegardError

if TYPE_CHECKING:
    import numpy as np

MOST = 1 << 30  # bytes of an array that is made without being asked for by its parts


class NamedAxis(NamedTuple):
    """An axis of an array: what it counts, and what its entries are called."""

    name: str
    labels: tuple[str | int, ...]


@dataclass(frozen=True, eq=False)
class LabelledNumbers:
    """Numbers, a tensor or an array, and an axis for each of their dimensions."""

    values: Any  # a tensor of torch, an array or lists
    axes: tuple[NamedAxis, ...]


class LabelledResult:
    """A result: `to_numpy()`, `numpy.asarray(result)` and `to_pandas()` give its numbers, the last one with labels."""

    def labelled(self) -> LabelledNumbers:
        """The numbers and their axes; each kind of result says its own."""
        raise NotImplementedError

    def to_numpy(self) -> "np.ndarray":
        """The numbers as an array."""
        import numpy as np

        values = self.labelled().values
        if hasattr(values, "detach"):
            values = values.detach().cpu()
            values = values.float() if str(values.dtype) == "torch.bfloat16" else values
            return values.numpy()
        return np.asarray(values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "np.ndarray":
        import numpy as np

        array = self.to_numpy()
        return np.array(array, dtype=dtype, copy=True) if copy else np.asarray(array, dtype=dtype)

    def to_pandas(self) -> Any:
        """A Series of one axis, a DataFrame of two, a Series with an index of several levels of more: with labels."""
        pandas = load_pandas()
        axes, array = self.labelled().axes, self.to_numpy()
        indices = [pandas.Index(axis.labels, name=axis.name, dtype=object) for axis in axes]
        if array.ndim == 1:
            return pandas.Series(array, index=indices[0])
        if array.ndim == 2:
            return pandas.DataFrame(array, index=indices[0], columns=indices[1])
        return pandas.Series(array.reshape(-1), index=pandas.MultiIndex.from_product(indices))


def load_pandas() -> Any:
    """pandas, which nothing else here needs."""
    try:
        import pandas
    except ImportError:
        raise RegardError("to_pandas() needs pandas: pip install pandas; to_numpy() does without") from None
    return pandas


def numbered(name: str, count: int, labels: Sequence[str] = ()) -> NamedAxis:
    """An axis whose entries have numbers, or labels where there is one for each."""
    return NamedAxis(name, tuple(labels) if len(labels) == count else tuple(range(count)))


def refuse_large(size: int, what: str, instead: str) -> None:
    """An array that nobody can mean is refused before it is made; `size` in bytes."""
    if size > MOST:
        raise RegardError(f"{what} would take {size / 2**30:.1f} GiB: {instead}")
