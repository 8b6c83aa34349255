"""A packed model in a file answers as the one in memory does, to the bit; a file that is not whole is refused.

Also tests: engine/packed_model.py, engine/packer.py.
"""

import ctypes
import json

import numpy as np
import pytest
from needs_engine import needs_engine
from shapes_of_engine import MODELS, made, texts

from regard.engine import PRECISIONS
from regard.engine.library import library
from regard.engine.module_parts import module_parts
from regard.engine.packed_file import ALIGNMENT, BEGINNING, MAGIC, PackedFile, PackedFileError, image_bytes, packed_file
from regard.engine.packer import pack_parts
from regard.engine.positions import Rotations, Waves, read_table, table_entries
from regard.engine.state import EngineState
from regard.models import Transformer
from regard.positions.rotary import RopeScaling

pytestmark = needs_engine


def packed(name="gpt2", precision="float32"):
    return pack_parts(library(), module_parts(made(name, spread=0.6)), precision)


def written(path, *arguments):
    path.write_bytes(packed_file(packed(*arguments), {"weights": "some"}).tobytes())
    return path


def scores(model, length):
    """All scores of a text of so many tokens, and of one more."""
    tokens, mask = (tensor.numpy() for tensor in texts(3, length, seed=4))
    state = EngineState(model, tokens[:, :9].copy() if model.has_source else None, None)
    first = state.step(tokens, mask).copy()
    return first, state.step(np.full((3, 1), 7))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_is_the_same_in_a_file(tmp_path, name, precision):
    memory = packed(name, precision)
    mapped = PackedFile.read(written(tmp_path / "model", name, precision)).open(library())
    assert (mapped.precision, mapped.has_source) == (precision, isinstance(made(name), Transformer))
    assert (mapped.vocabulary, mapped.layers) == (memory.vocabulary, memory.layers)
    for one, other in zip(scores(memory, 12), scores(mapped, 12), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("name", ["marian", "llama"])
def test_positions_go_on_where_a_file_ends(tmp_path, name):
    memory, mapped = packed(name), PackedFile.read(written(tmp_path / "model", name)).open(library())
    assert mapped.shape.position_tables  # it is one of those that grow
    for one, other in zip(scores(memory, 700), scores(mapped, 700), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(
    "table", [Waves(6, "halves", 3.0, 2), Rotations(8, 500.5), Rotations(8, 1e4, RopeScaling(8.0, 8192, 1.0, 4.0))]
)
def test_a_table_is_the_same_after_it_was_json(table):
    assert read_table(json.loads(json.dumps(table_entries(table)))) == table


def test_a_model_outlives_its_file(tmp_path):
    path = written(tmp_path / "model")
    mapped = PackedFile.read(path).open(library())
    path.unlink()
    assert scores(mapped, 5)[0].tobytes() == scores(packed(), 5)[0].tobytes()


def test_a_changed_byte_is_noticed_wherever_it_is(tmp_path):
    path = written(tmp_path / "model")
    whole = path.read_bytes()
    magic, size, weights, _ = BEGINNING.unpack(whole[: BEGINNING.size])
    assert magic == MAGIC
    assert len(whole) == ALIGNMENT + size + weights
    places = [*range(BEGINNING.size), *range(ALIGNMENT, len(whole), 997), len(whole) - 1]
    for place in places:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1 :])
        with pytest.raises(PackedFileError):
            PackedFile.read(path).open(library())


@pytest.mark.parametrize("content", [b"", b"x", MAGIC, b"{}" * 500, BEGINNING.pack(MAGIC, 2, 0, 0), bytes(4096)])
def test_a_foreign_file_is_refused(tmp_path, content):
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(PackedFileError):
        PackedFile.read(tmp_path / "model").open(library())
    with pytest.raises(PackedFileError):
        PackedFile.read(tmp_path / "none")


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = written(tmp_path / "model")
    whole = path.read_bytes()
    for length in (10, ALIGNMENT, ALIGNMENT + 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(PackedFileError):
            PackedFile.read(path).open(library())
    path.write_bytes(whole + b"\0")
    with pytest.raises(PackedFileError, match="not whole"):
        PackedFile.read(path)


def image():
    """Weights as the library reads them, at a multiple of 64."""
    model, engine = packed("marian", "int8"), library()
    size = engine.image(model.address, None)
    room = np.zeros(size + ALIGNMENT, np.uint8)
    begin = -room.ctypes.data % ALIGNMENT
    weights = room[begin : begin + size]
    assert engine.image(model.address, weights.ctypes.data) == size
    return weights


class Copied:
    """A weight as another one, which it is not."""

    def __init__(self, weight):
        self.key, self.numbers = object(), weight.array().copy()

    def array(self):
        return self.numbers


def test_a_table_that_serves_both_stacks_is_there_once(tmp_path):
    parts = module_parts(made("marian", spread=0.6))
    parts.decoder.table = Copied(parts.encoder.table)
    apart, shared = pack_parts(library(), parts, "float32"), packed("marian")
    table = parts.encoder.table.array()
    assert image_bytes(apart) - image_bytes(shared) >= table.nbytes
    mapped = PackedFile.read(written(tmp_path / "model", "marian")).open(library())
    for one, other in zip(scores(apart, 12), scores(mapped, 12), strict=True):
        assert one.tobytes() == other.tobytes()


def refusal(weights, size):
    engine = library()
    assert engine.open(ctypes.c_void_p(weights.ctypes.data), size) is None
    return engine.problem().decode()


def test_the_library_itself_reads_nothing_past_the_end():
    weights = image()
    for size in range(0, len(weights), 61):
        assert refusal(weights, size) in (
            "a packed model ends before it is whole",
            "a packed model holds more than it has room for",
        )
    assert refusal(weights[1:], len(weights) - 1) == "a packed model does not begin at a multiple of 64"


@pytest.mark.parametrize(("number", "line"), [(0, "another version: 99"), (1, "width of panels"), (3, "kind of proc")])
def test_the_library_refuses_what_was_packed_for_another(number, line):
    weights = image()
    weights[: 16 * 4].view(np.int32)[number] = 99
    assert line in refusal(weights, len(weights))


@pytest.mark.parametrize("number", [4, 5, 6])  # how many layers there are, what the first reads and puts out
@pytest.mark.parametrize("value", [-5, 2**26, 2**31 - 1])
def test_the_library_refuses_sizes_that_cannot_be(number, value):
    weights = image()
    weights[: 16 * 4].view(np.int32)[number] = value
    assert "packed model" in refusal(weights, len(weights))
