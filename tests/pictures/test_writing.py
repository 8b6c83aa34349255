"""The animation of a translation, read back by Pillow.

Also tests: viewer/animated_run.py.
"""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from viewer.small import client, run

from regard.errors import RegardError
from regard.pictures.writing import SIZE, WrittenText, animation

TEXT = WrittenText(["a", "red", "dog"], ["ein", "roter", "Hund"], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], title="en-de")


def frames(content: bytes) -> list[np.ndarray]:
    with Image.open(BytesIO(content)) as picture:
        pictures = []
        for number in range(picture.n_frames):
            picture.seek(number)
            pictures.append(np.asarray(picture.convert("L"), dtype=int))
        return pictures


@pytest.mark.parametrize("kind", ["gif", "apng"])
def test_one_frame_for_each_word_and_one_before(kind):
    shown = frames(animation(TEXT, kind))
    assert len(shown) == 4
    assert {frame.shape for frame in shown} == {SIZE[::-1]}
    dark = [int((frame < 128).sum()) for frame in shown]
    assert dark == sorted(dark)
    assert dark[0] < dark[-1]


def test_a_dark_picture_is_dark():
    assert frames(animation(TEXT, "apng", dark=True))[0].mean() < 80 < frames(animation(TEXT, "apng"))[0].mean()


def test_a_line_that_does_not_fit_is_refused():
    long = WrittenText(["word"] * 200, ["wort"], [[0.0] * 200])
    with pytest.raises(RegardError, match="room for lines of about"):
        animation(long)


def test_a_run_is_animated_word_by_word():
    with client() as server:
        made = run(server, model="en-de", text="The dog sleeps.", max_new_tokens=None)
        answer = server.get(f"/api/runs/{made['id']}/animation?kind=apng")
        other = run(server, text="To be")
        refused = server.get(f"/api/runs/{other['id']}/animation")
    assert answer.headers["content-type"] == "image/apng"
    assert len(frames(answer.content)) == len(made["answer"]["text"].split()) + 1
    assert refused.status_code == 400
    assert "only a translation" in refused.json()["error"]
