import pytest
import torch
from looking.readers import Reader, Translator, stream

import regard
from regard.attention import Causal
from regard.errors import UnknownName


@pytest.fixture
def seen():
    torch.manual_seed(0)
    model = Translator()
    with torch.no_grad(), regard.watch(model) as found:
        model(stream(), stream()[:, :3])
    return found


def test_sides_are_named_by_their_own_tokens(seen):
    album = seen.show(source=list("abcde"), target=list("xyz"))
    named = {picture.title: (picture.rows, picture.columns) for picture in album.pictures}
    assert named["encoder.0.self"] == (tuple("abcde"), tuple("abcde"))
    assert named["decoder.0.self"] == (tuple("xyz"), tuple("xyz"))
    assert named["decoder.1.cross"] == (tuple("xyz"), tuple("abcde"))


def test_layers_are_chosen_by_name(seen):
    assert {picture.title for picture in seen.show("decoder.*.cross").pictures} == {
        *("decoder.0.cross", "decoder.1.cross"),
    }
    with pytest.raises(UnknownName, match="no layer fits 'nowhere'"):
        seen.show("nowhere")


@pytest.mark.parametrize("ending", ["html", "svg", "png", "txt"])
def test_what_was_seen_is_saved_as_one_file(seen, ending, tmp_path):
    seen.save(tmp_path / f"map.{ending}", source=list("abcde"), target=list("xyz"), scale="sink")
    assert (tmp_path / f"map.{ending}").stat().st_size > 100


def test_a_notebook_shows_an_svg_or_says_that_there_is_nothing(seen):
    assert seen._repr_html_().startswith("<svg")
    with regard.watch(Reader()) as nothing:
        pass
    assert nothing._repr_html_() == "Seen(nothing yet)"


def test_one_text_needs_one_list_of_tokens():
    model = Reader()
    with torch.no_grad(), regard.watch(model) as found:
        model(stream(), Causal())
    (first, *_) = found.show(tokens=list("abcde")).pictures
    assert first.rows == first.columns == tuple("abcde")
