import pytest
import torch
from torch.testing import assert_close

import regard
from regard.checkpoints import CheckpointError, load_model
from regard.errors import RegardError
from regard.models import (
    AttentionConfig,
    Decoder,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    Encoder,
    EncoderConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)

transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

SOURCE = torch.tensor([[5, 6, 7, 8, 9], [10, 11, 12, 0, 0]])
TARGET = torch.tensor([[3, 4, 13, 2], [3, 13, 4, 2]])
SMALL = {
    "vocab_size": 61, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40,
    "max_position_embeddings": 32,
}  # fmt: skip


def bert(folder, kind="BertForMaskedLM", **changes):
    getattr(transformers, kind)(transformers.BertConfig(**(SMALL | changes))).save_pretrained(folder)
    return load_model(folder)


def gpt2(folder, kind="GPT2LMHeadModel"):
    config = transformers.GPT2Config(vocab_size=53, n_embd=16, n_layer=1, n_head=2, n_positions=32, bos_token_id=0)
    getattr(transformers, kind)(config).save_pretrained(folder)
    return load_model(folder)


def roberta(folder, kind="RobertaModel"):
    getattr(transformers, kind)(transformers.RobertaConfig(**SMALL)).save_pretrained(folder)
    return load_model(folder)


def generation(folder):
    transformers.BertGenerationEncoder(transformers.BertGenerationConfig(**SMALL)).save_pretrained(folder)
    return load_model(folder)


def same_in_the_reference(joined, folder):
    """Saved, transformers and we ourselves give the same logits."""
    joined.save(folder)
    attention_mask = SOURCE > 0
    with torch.no_grad():
        found = joined.model(SOURCE, TARGET, attention_mask=attention_mask)
        reference, report = transformers.EncoderDecoderModel.from_pretrained(folder, output_loading_info=True)
        told = reference.eval()(input_ids=SOURCE, attention_mask=attention_mask.long(), decoder_input_ids=TARGET)
        assert_close(load_model(folder).model(SOURCE, TARGET, attention_mask=attention_mask), found, rtol=0, atol=0)
    assert_close(told.logits, found, rtol=0, atol=1e-5)
    assert not report["unexpected_keys"]
    return report["missing_keys"]


def kinds(names):
    """Names without numbers of layers and kinds of tensors, each once."""
    kept = (".".join(part for part in name.split(".")[:-1] if not part.isdigit()) for name in names)
    return list(dict.fromkeys(kept))


CROSS = [f"decoder.stack.blocks.{part}" for part in ("cross.query", "cross.kv", "cross.output", "cross_norm")]


def test_two_berts_become_an_encoder_decoder(tmp_path):
    encoder = bert(tmp_path / "encoder", "BertModel")
    decoder = bert(tmp_path / "decoder", vocab_size=47, num_hidden_layers=1)
    joined = regard.join(encoder, decoder)
    assert kinds(joined.new) == CROSS
    assert joined.new[0] == "decoder.stack.blocks.0.cross.query.weight"
    assert_close(joined.model.encode(SOURCE), encoder.model.hidden(SOURCE))
    assert not same_in_the_reference(joined, tmp_path / "joined")


@pytest.mark.parametrize("kind", ["GPT2LMHeadModel", "GPT2Model"])
def test_a_bert_and_a_gpt_of_another_width_meet_over_a_bridge(kind, tmp_path):
    joined = regard.join(bert(tmp_path / "bert", "BertModel"), gpt2(tmp_path / "gpt", kind))
    assert kinds(joined.new) == ["bridge", *CROSS]
    assert joined.config["decoder_start_token_id"] == 0
    assert not same_in_the_reference(joined, tmp_path / "joined")


@pytest.mark.parametrize(
    ("make", "head"),
    [
        (lambda folder: bert(folder, "BertModel"), ["output", "output.transform.dense", "output.transform.norm"]),
        (roberta, ["output", "output.transform.dense", "output.transform.norm"]),
        (generation, ["output"]),
    ],
    ids=["bert", "roberta", "bert-generation"],
)
def test_a_decoder_without_a_head_gets_that_of_its_family(make, head, tmp_path):
    joined = regard.join(make(tmp_path / "encoder"), make(tmp_path / "decoder"))
    assert kinds(joined.new) == [*CROSS, *head]
    assert not same_in_the_reference(joined, tmp_path / "joined")


def test_folders_and_what_was_made_from_a_checkpoint_can_be_joined(tmp_path):
    class Task:
        checkpoint = bert(tmp_path / "bert")

    joined = regard.join(str(tmp_path / "bert"), Task(), start=1, padding=0)
    assert kinds(joined.new) == CROSS
    assert (joined.config["decoder_start_token_id"], joined.config["pad_token_id"]) == (1, 0)
    # The file of a masked language model has no pooler: only that is missing, and it changes no logits.
    missing = same_in_the_reference(joined, tmp_path / "joined")
    assert sorted(missing) == ["encoder.pooler.dense.bias", "encoder.pooler.dense.weight"]


def side(**changes):
    stack = StackConfig(1, 12, AttentionConfig(3), FeedForwardConfig(20, "gelu"), NormConfig("layer", 1e-12))
    stack = StackConfig(**(vars(stack) | {"pre_norm": False, "final_norm": False} | changes))
    words = EmbeddingConfig(31, segments=2, norm=True)
    return EmbeddedStackConfig(words, stack, PositionConfig("learned", {"length": 16, "width": 12}))


def test_models_that_came_from_no_folder_are_described_as_the_family_that_they_fit(tmp_path):
    reader = Encoder(EncoderConfig(side(), pooler="tanh")).eval()
    writer = Encoder(EncoderConfig(side(), OutputConfig(tied=True, bias=True, transform="gelu"))).eval()
    joined = regard.join(reader, writer)
    assert [joined.config[part]["model_type"] for part in ("encoder", "decoder")] == ["bert", "bert"]
    assert not same_in_the_reference(joined, tmp_path)


def test_models_of_no_known_family_are_joined_and_cannot_be_saved(tmp_path):
    stack = StackConfig(1, 12, AttentionConfig(3), FeedForwardConfig(20, gated=True), NormConfig("rms"))
    other = EmbeddedStackConfig(EmbeddingConfig(31), stack, PositionConfig("rotary", {"head_width": 4}))
    joined = regard.join(Encoder(EncoderConfig(other)), Decoder(DecoderConfig(other)))
    assert joined.model(SOURCE, TARGET).shape == (2, 4, 31)
    with pytest.raises(CheckpointError, match="model_type = None is not supported as encoder, only albert, bert"):
        joined.save(tmp_path / "joined")


def test_the_models_that_were_joined_stay_as_they_are(tmp_path):
    loaded = bert(tmp_path)
    before = {name: weight.clone() for name, weight in loaded.model.named_parameters()}
    joined = regard.join(loaded, loaded)
    joined.model(SOURCE, TARGET).sum().backward()
    with torch.no_grad():
        for weight in joined.model.parameters():
            weight.add_(1)
    for name, weight in loaded.model.named_parameters():
        assert weight.grad is None
        assert torch.equal(weight, before[name])


def test_the_decoder_sees_nothing_that_comes_after(tmp_path):
    joined = regard.join(bert(tmp_path / "one"), bert(tmp_path / "other"))
    other = TARGET.clone()
    other[:, 2:] = 7
    found, changed = (joined.model(SOURCE, target)[:, :2] for target in (TARGET, other))
    assert_close(found, changed)


def test_what_cannot_be_joined_is_told(tmp_path, unchecked):
    encoder, decoder = bert(tmp_path / "bert"), gpt2(tmp_path / "gpt")
    joined = regard.join(encoder, decoder)
    with pytest.raises(RegardError, match="an encoder that reads both ways expected, got a Decoder"):
        regard.join(decoder, encoder)
    with pytest.raises(RegardError, match="a decoder or an encoder expected to write, got a whole Transformer"):
        regard.join(encoder, joined.model)
    with pytest.raises(RegardError, match="a model, a checkpoint or its folder expected, got int"):
        regard.join(encoder, 3)
