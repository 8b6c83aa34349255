"""Laws of models that look at pictures.

Also tests: layers/classification_head.py.
"""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

import regard
from regard.architectures.weights import count_weights
from regard.checkpoints import load_model, save_model
from regard.errors import ShapeError
from regard.models import GlimpseConfig, GlimpseNetwork, VisionConfig, VisionTransformer
from regard.models.build import build
from regard.models.vision import cut, surroundings

PATCHES = VisionConfig(size=6, patch=2, labels=4, width=16, layers=2, heads=2, feed_forward_width=32)
PIXELS = replace(PATCHES, patch=1, pool="mean")
COLOURS = replace(PATCHES, channels=3)
GLIMPSE = GlimpseConfig(size=5, labels=3, width=12, glimpses=4, patch=3)


def images(size: int, batch: int = 3, channels: int = 1) -> torch.Tensor:
    return torch.rand(batch, channels, size, size) if channels > 1 else torch.rand(batch, size, size)


def test_a_picture_is_cut_row_by_row():
    (pieces,) = cut(torch.arange(16.0).view(1, 4, 4), 4, 2)
    assert pieces.tolist() == [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]


def test_pieces_of_a_colour_picture_are_a_convolutions():
    """32 x 32 x 3 in pieces of one pixel is 1024 x 3; a linear layer on larger pieces is a convolution with strides."""
    picture = images(32, channels=3)
    torch.testing.assert_close(cut(picture, 32, 1, 3), picture.flatten(2).mT)
    model = VisionTransformer(replace(COLOURS, size=32, patch=8))
    weight = model.pieces.weight.view(16, 3, 8, 8)
    expected = F.conv2d(picture, weight, model.pieces.bias, stride=8).flatten(2).mT
    assert_close(model.pieces(cut(picture, 32, 8, 3)), expected, rtol=1e-5, atol=1e-5)


def test_one_channel_may_be_left_out():
    model, image = VisionTransformer(PATCHES).eval(), images(6)
    assert_close(model(image[:, None]), model(image), rtol=0, atol=0)


def test_every_colour_counts():
    model, image = VisionTransformer(COLOURS).eval(), images(6, channels=3)
    for channel in range(3):
        other = image.clone()
        other[:, channel] = 0
        assert (model(other) - model(image)).abs().amax(-1).min() > 1e-5


@pytest.mark.parametrize("scale", [1, 3, 9])
def test_surroundings_are_means_of_squares_around_a_pixel(scale):
    (image,) = images(7, batch=1, channels=2)[None, 0]
    found = surroundings(image[None], 3, scale)[0].view(7, 7, 2, 3, 3)
    wide = F.pad(image, [30] * 4)
    for row, column in [(0, 0), (3, 4), (6, 6)]:
        for down in range(3):
            for right in range(3):
                top, left = (30 + at + scale * (by - 1) - scale // 2 for at, by in ((row, down), (column, right)))
                expected = wide[:, top : top + scale, left : left + scale].mean((1, 2))
                assert_close(found[row, column, :, down, right], expected)


def test_a_glimpse_is_at_a_position_and_at_a_scale():
    config = replace(GLIMPSE, scales=2, glimpses=1)
    model = GlimpseNetwork(config).eval()
    image = images(5, batch=1)
    for look, side in ((12, 1), (25 + 12, 2)):  # the middle, of 3 x 3 pixels or of 9 x 9, which is all there is
        with torch.no_grad():
            model.initial_state.fill_(1)
            model.query.weight.zero_()
            model.query.bias.fill_(1)
            model.keys.zero_()
            model.keys[look] = 9
        glances = model.glances(image)
        assert glances.positions.item() == look
        assert glances.probabilities.shape == (1, 1, 50)
        corner = image.clone()
        corner[0, 0, 0] += 1
        assert torch.equal(model(corner), glances.logits) == (side == 1)


@pytest.mark.parametrize("config", [COLOURS, replace(GLIMPSE, scales=3, channels=3)])
def test_what_is_counted_is_what_is_learned(config):
    model = build(config)
    assert count_weights(config).total() == sum(part.numel() for part in model.parameters())


def test_a_folder_from_before_there_were_colours_has_one_channel():
    model = load_model(Path(__file__).parents[1] / "before/checkpoints/regard-vision").model
    assert model.config.channels == 1


@pytest.mark.parametrize("pool", ["mean", "first"])
def test_without_positions_shuffled_pixels_change_nothing(pool):
    model = VisionTransformer(replace(PIXELS, has_positions=False, pool=pool)).eval()
    image = images(6)
    shuffled = image.flatten(1)[:, torch.randperm(36)].view_as(image)
    assert_close(model(shuffled), model(image))


def test_with_positions_shuffled_pixels_change_the_answer():
    model = VisionTransformer(PIXELS).eval()
    nn.init.normal_(model.positions)
    image = images(6)
    assert (model(image.flip(-1)) - model(image)).abs().max() > 1e-3


def test_patches_through_our_stack_are_torchs_encoder():
    """A class token and pieces through torch.nn.TransformerEncoder with the same weights."""
    model = VisionTransformer(PATCHES).eval()
    layer = nn.TransformerEncoderLayer(16, 2, 32, 0.0, "gelu", batch_first=True, norm_first=True)
    theirs = nn.TransformerEncoder(layer, 2, nn.LayerNorm(16), enable_nested_tensor=False).eval()
    pairs = {
        "self_attn.in_proj_": "self.qkv.",
        "self_attn.out_proj.": "self.output.",
        "linear1.": "feed_forward.widen.",
        "linear2.": "feed_forward.narrow.",
        "norm1.": "self_norm.",
        "norm2.": "feed_forward_norm.",
    }
    mine = model.encoder.state_dict()
    told = {f"norm.{kind}": mine[f"norm.{kind}"] for kind in ("weight", "bias")}
    for number in range(2):
        for other, own in pairs.items():
            for kind in ("weight", "bias"):
                told[f"layers.{number}.{other}{kind}"] = mine[f"blocks.{number}.{own}{kind}"]
    theirs.load_state_dict(told)
    image = images(6)
    x = torch.stack([image[:, r : r + 2, c : c + 2].flatten(1) for r in (0, 2, 4) for c in (0, 2, 4)], 1)
    x = torch.cat([model.token.expand(3, 1, -1), model.pieces(x)], 1) + model.positions
    assert_close(model(image), model.classify.labels(theirs(x)[:, 0]), rtol=1e-5, atol=1e-5)


def test_a_glimpse_sees_nothing_but_the_squares_it_looked_at():
    model = GlimpseNetwork(GLIMPSE).eval()
    image = images(5, batch=1)
    glances = model.glances(image)
    unseen = torch.ones(7, 7, dtype=torch.bool)  # with a pixel of nothing around
    for position in glances.positions[0].tolist():
        unseen[position // 5 : position // 5 + 3, position % 5 : position % 5 + 3] = False
    other = torch.where(unseen[1:-1, 1:-1], torch.rand(5, 5), image)
    assert unseen[1:-1, 1:-1].any()
    assert_close(model(other), glances.logits, rtol=0, atol=0)


def test_glimpses_are_drawn_by_their_chances():
    model = GlimpseNetwork(replace(GLIMPSE, glimpses=1)).eval()
    nn.init.normal_(model.keys, std=2.0)
    nn.init.normal_(model.initial_state)
    glances = model.glances(images(5, batch=20000), torch.Generator().manual_seed(1))
    share = torch.bincount(glances.positions[:, 0], minlength=25) / 20000
    expected = torch.softmax(model.keys @ model.query(model.initial_state), 0)
    assert_close(glances.probabilities[0, 0], expected)
    assert_close(share, expected.detach(), rtol=0, atol=0.02)


def test_a_glimpse_is_watched_and_edited_like_any_attention():
    model = GlimpseNetwork(GLIMPSE).eval()
    image = images(5)
    with regard.watch(model) as seen:
        glances = model.glances(image)
    assert len(seen.all("look")) == 4
    for number, pattern in enumerate(seen.all("look")):
        assert_close(pattern.weights()[:, 0, 0], glances.probabilities[:, number])
    first = int(glances.positions[0, 0])
    with regard.edit(model) as edit:
        edit.hide(target=[first])
        assert (model.glances(image).positions != first).all()


@pytest.mark.parametrize(
    "model",
    [
        VisionTransformer(PATCHES),
        VisionTransformer(PIXELS),
        VisionTransformer(COLOURS),
        GlimpseNetwork(GLIMPSE),
        GlimpseNetwork(replace(GLIMPSE, scales=2, channels=2)),
    ],
)
def test_a_saved_model_loads_again(tmp_path, model):
    save_model(model, tmp_path / "model", {"model_type": "regard"}, type(model).__name__)
    again = load_model(tmp_path / "model").model
    assert again.config == model.config
    image = images(model.config.size, channels=model.config.channels)
    assert_close(again.eval()(image), model.eval()(image), rtol=0, atol=0)


def test_sizes_that_do_not_fit_are_named():
    with pytest.raises(ShapeError, match="a side of 6 pixels cannot be cut into squares of 4"):
        VisionTransformer(replace(PATCHES, patch=4))
    with pytest.raises(ShapeError, match="images has 5 pixels a side, expected 6"):
        VisionTransformer(PATCHES)(images(5))
    with pytest.raises(ShapeError, match=r"images of 3 channels are \(batch, 3, 6, 6\), got no channels"):
        VisionTransformer(COLOURS)(images(6))
    with pytest.raises(ShapeError, match="images has 2 channels, expected 3"):
        VisionTransformer(COLOURS)(images(6, channels=2))
    with pytest.raises(ShapeError, match="an odd patch expected, got 2"):
        GlimpseNetwork(replace(GLIMPSE, patch=2))
