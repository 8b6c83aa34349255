"""What is drawn is read off the config, never off the name of a family. Also tests: architectures/blocks.py."""

from dataclasses import replace

import pytest
from diagram_examples import CONFIGS

from regard.architectures import diagram_of
from regard.config import (
    AttentionConfig,
    ClassificationHeadConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
)
from regard.config.pruning import with_pruned
from regard.errors import RegardError
from regard.pictures.diagrams.diagram import BoxColumn, BoxFrame, boxes_of
from regard.pictures.diagrams.layout import lay_out
from regard.pictures.diagrams.scene import METRICS

BERT, GPT, MARIAN = CONFIGS["bert"], CONFIGS["openai-gpt"], CONFIGS["marian"]


def changed(config, name="encoder", *, position=None, embedding=None, **stack):
    """The same with other parts in one stack."""
    side = getattr(config, name)
    side = replace(
        side,
        stack=replace(side.stack, **stack),
        position=position or side.position,
        embedding=replace(side.embedding, **(embedding or {})),
    )
    return replace(config, **{name: side})


def block(diagram, name="encoder"):
    """The names of the boxes in a block, from the bottom up."""
    part = diagram.part
    while not (isinstance(part, BoxFrame) and part.name == f"{name}.block"):
        inner = [part.part] if isinstance(part, BoxFrame) else part.parts
        part = next(one for one in inner if any(box.name == f"{name}.self" for box in boxes_of(one)))
    assert isinstance(part.part, BoxColumn)
    return part, [box.name.removeprefix(f"{name}.") for box in boxes_of(part)]


def test_post_norm_adds_and_normalises_behind_each_part():
    _, names = block(diagram_of(changed(BERT, pre_norm=False)))
    assert names == ["self", "self_norm", "feed_forward", "feed_forward_norm"]
    assert diagram_of(BERT).boxes["encoder.self_norm"].title == "Add & LayerNorm"


def test_pre_norm_normalises_before_each_part_and_adds_behind():
    diagram = diagram_of(changed(BERT, pre_norm=True))
    _, names = block(diagram)
    assert names == ["self_norm", "self", "self_add", "feed_forward_norm", "feed_forward", "feed_forward_add"]
    assert diagram.boxes["encoder.self_norm"].title == "LayerNorm"


@pytest.mark.parametrize("pre_norm", [False, True])
def test_an_arrow_goes_past_every_part(pre_norm):
    diagram = diagram_of(changed(MARIAN, "decoder", pre_norm=pre_norm))
    past = {(wire.start, wire.end) for wire in diagram.wires if wire.kind == "residual" and "decoder" in wire.start}
    first, last = ("{}_norm", "{}_add") if pre_norm else ("{}", "{}_norm")
    assert past == {
        (f"decoder.{first.format(kind)}", f"decoder.{last.format(kind)}") for kind in ("self", "cross", "feed_forward")
    }


def test_the_decoder_alone_is_masked_and_looks_at_the_encoder():
    diagram = diagram_of(MARIAN)
    assert diagram.boxes["encoder.self"].title == "Self-attention"
    assert diagram.boxes["decoder.self"].title == "Masked self-attention"
    (cross,) = [wire for wire in diagram.wires if wire.kind == "cross"]
    assert (cross.start, cross.end) == ("encoder.feed_forward_norm", "decoder.cross")


def test_what_is_looked_at_comes_from_the_last_box_of_the_encoder():
    final = diagram_of(changed(MARIAN, final_norm=True))
    assert [wire.start for wire in final.wires if wire.kind == "cross"] == ["encoder.norm"]
    bridged = diagram_of(replace(changed(MARIAN, final_norm=True), bridge=True))
    assert [wire.start for wire in bridged.wires if wire.kind == "cross"] == ["bridge"]


@pytest.mark.parametrize("tied", [False, True])
def test_a_dashed_line_joins_words_and_scores_of_one_table(tied):
    diagram = diagram_of(replace(GPT, output=OutputConfig(tied=tied)))
    lines = {(wire.start, wire.end) for wire in diagram.wires if wire.kind == "tied"}
    assert lines == ({("decoder.words", "decoder.output")} if tied else set())
    assert ("output tied to the words" in diagram.facts) == tied


def test_a_table_of_both_sides_is_counted_once():
    shared, own = (diagram_of(replace(MARIAN, shared=shared)) for shared in (True, False))
    words = MARIAN.decoder.embedding.vocabulary * MARIAN.decoder.stack.width
    assert [one.boxes["decoder.words"].parameters for one in (shared, own)] == [0, words]
    assert own.parameters - shared.parameters == words


@pytest.mark.parametrize(
    ("kind", "settings"), [("sinusoidal", {"width": 24}), ("learned", {"length": 20, "width": 24})]
)
def test_positions_that_are_added_have_a_box(kind, settings):
    boxes = diagram_of(changed(BERT, position=PositionConfig(kind, settings))).boxes
    assert kind in " ".join(boxes["encoder.positions"].lines)
    assert boxes["encoder.self"].lines == diagram_of(BERT).boxes["encoder.self"].lines


@pytest.mark.parametrize(
    ("kind", "settings", "told"),
    [
        ("rotary", {"head_width": 6}, "rotary positions"),
        ("alibi", {"heads": 4}, "penalty on distance"),
        ("buckets", {"heads": 4}, "bias by distance"),
    ],
)
def test_positions_that_enter_in_attention_are_told_there(kind, settings, told):
    boxes = diagram_of(changed(BERT, position=PositionConfig(kind, settings))).boxes
    assert "encoder.positions" not in boxes
    assert told in " ".join(boxes["encoder.self"].lines)


def test_without_positions_a_text_is_a_set():
    assert "no positions: a set" in diagram_of(changed(BERT, position=PositionConfig())).facts
    assert "no positions: a set" not in diagram_of(CONFIGS["xl"]).facts


def test_segments_have_a_box_and_a_norm_of_words_too():
    assert diagram_of(BERT).boxes["encoder.segments"].lines[0] == "2 × 24"
    plain = diagram_of(changed(BERT, embedding={"segments": 0, "norm": False})).boxes
    assert {"encoder.segments", "encoder.embed_norm"}.isdisjoint(plain)


def test_narrow_words_are_widened():
    assert diagram_of(CONFIGS["albert"]).boxes["encoder.widen"].title == "Widen"


def test_layers_that_share_their_weights_are_one_block():
    frame, _ = block(diagram_of(changed(BERT, layers=12, distinct=1)))
    assert (frame.label, frame.count) == ("one block", "× 12")
    assert block(diagram_of(changed(BERT, layers=12, distinct=3)))[0].label == "3 blocks"
    assert block(diagram_of(changed(BERT, layers=12)))[0].label == "Encoder"


def test_grouped_heads_gates_and_norms_are_told():
    boxes = diagram_of(CONFIGS["llama"]).boxes
    assert boxes["decoder.self"].lines[:2] == ("4 heads × 6", "2 heads of keys and values")
    assert boxes["decoder.feed_forward"].lines[1].startswith("SiLU gate")
    assert boxes["decoder.self_norm"].title == "RMSNorm"
    assert diagram_of(changed(BERT, norm=NormConfig("rms"))).boxes["encoder.self_norm"].title == "Add & RMSNorm"


def test_heads_that_were_taken_out_are_told():
    pruned = with_pruned(BERT, {"encoder.0.self": [1], "encoder.1.self": [0, 2]})
    lines = diagram_of(pruned).boxes["encoder.self"].lines
    assert lines[0] == "2 to 3 of 4 heads × 6"
    assert "in all" in lines[1]


def test_a_score_of_another_scale_or_none_is_told():
    stack = BERT.encoder.stack
    assert "scores × 1" in diagram_of(changed(BERT, attention=replace(stack.attention, scale=1.0))).facts
    assert not any("scores" in fact for fact in diagram_of(BERT).facts)


def test_a_window_is_told():
    assert "window of 5 positions" in diagram_of(changed(GPT, "decoder", window=5)).facts


def test_what_is_asked_of_a_model_stands_at_the_top():
    labels = replace(GPT, output=None, classify=ClassificationHeadConfig(3, "last"))
    assert diagram_of(labels).boxes["labels"].lines == ("24 → 3 · 75", "of the last token")
    assert {"pooler", "follows"} <= set(diagram_of(CONFIGS["bert-base"]).boxes)
    assert {"pooler", "follows"}.isdisjoint(diagram_of(BERT).boxes)


def test_a_memory_stands_beside_the_attention_that_reads_it():
    diagram = diagram_of(CONFIGS["xl"])
    boxes = lay_out(diagram, METRICS).boxes
    memory, attention = boxes["decoder.memory"], boxes["decoder.self"]
    assert memory.x + memory.width < attention.x
    assert {(wire.start, wire.end) for wire in diagram.wires if wire.kind == "memory"} == {
        ("decoder.memory", "decoder.self"),
        ("decoder.self_norm", "decoder.memory"),
    }
    assert boxes["decoder.memory"].box.lines[0] == "last 4 positions"
    short = CONFIGS["xl"]
    short = replace(short, decoder=replace(short.decoder, stack=replace(short.decoder.stack, window=None)))
    assert "decoder.memory" not in diagram_of(short).boxes


def test_a_part_that_is_not_known_is_not_hidden():
    unknown = replace(AttentionConfig(4), score=replace(CONFIGS["xl"].decoder.stack.attention.score, kind="new"))
    diagram = diagram_of(changed(BERT, attention=unknown))
    assert "and more" in diagram.subtitle
    assert "new score" in " ".join(diagram.boxes["encoder.self"].lines)


@pytest.mark.parametrize("pre_norm", [True, False])
def test_what_a_block_does_without_is_not_drawn(pre_norm):
    config = changed(MARIAN, pre_norm=pre_norm, residual=False, feed_forward=FeedForwardConfig(0))
    diagram = diagram_of(config)
    names = [box.name for box in boxes_of(diagram.part)]
    assert not [name for name in names if name.startswith("encoder.feed_forward") or name == "encoder.self_add"]
    assert not [
        wire for wire in diagram.wires if wire.note == "residual connection" and wire.start.startswith("encoder")
    ]
    lay_out(diagram, METRICS)
    with pytest.raises(RegardError, match="a model without layers: there is nothing between its words and its output"):
        diagram_of(changed(MARIAN, layers=0))
