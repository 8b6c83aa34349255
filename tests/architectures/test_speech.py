"""A model that hears and writes, drawn."""

import torch
import transformers
from diagram_examples import CONFIGS

from regard.architectures import count_weights, diagram_of
from regard.architectures.inside import block_diagram
from regard.families.options import Options
from regard.families.whisper import ARCHITECTURES, read


def test_frames_become_vectors_and_the_writer_looks_at_them():
    diagram = diagram_of(CONFIGS["whisper"])
    assert diagram.boxes["encoder.words"].lines[0] == "3 × 5 → 24"
    assert diagram.boxes["encoder.positions"].lines[0] == "12 sinusoids"
    assert ("encoder.norm", "decoder.cross") in {(wire.start, wire.end) for wire in diagram.wires}
    assert diagram.parameters == sum(share.parameters for share in diagram.shares)


def test_a_block_of_each_side_is_drawn():
    hears, writes = (block_diagram(CONFIGS["whisper"], f"{side}.1") for side in ("encoder", "decoder"))
    assert 0 < hears.parameters < writes.parameters


def test_the_published_tiny_model_has_as_many_numbers_as_the_reference():
    """Those of keys' biases apart, which are zero here and nothing there."""
    described = transformers.WhisperConfig()  # whisper-tiny is what it is by default
    with torch.device("meta"):
        reference = transformers.WhisperForConditionalGeneration(described)
    config = read(Options(described.to_dict(), "tiny"), ARCHITECTURES[1])
    keys = config.encoder.stack.width * (config.encoder.stack.layers + 2 * config.decoder.stack.layers)
    assert count_weights(config).total() - keys == sum(weight.numel() for weight in reference.parameters())
