"""Tiles and thumbnails as bytes."""

import json
import struct
from collections.abc import Sequence

import torch
from torch import Tensor

from regard.viewer.payload import API_VERSION

MAGIC = b"RGD1"


def frame(head: dict[str, object], numbers: Sequence[Tensor]) -> bytes:
    """Numbers for the page: four letters, the length of a JSON head, the head, then float32, little end first.

    The head is filled up with spaces, so that the numbers begin at a multiple of four. Half precision stays so.
    """
    text = json.dumps({"version": API_VERSION} | head, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    parts = [little_endian(part.detach().to("cpu").contiguous()) for part in numbers]
    return b"".join([MAGIC, struct.pack("<I", len(text)), text, *parts])


def little_endian(numbers: Tensor) -> bytes:
    if numbers.dtype == torch.float16:
        return numbers.numpy().astype("<f2").tobytes()
    return numbers.float().numpy().astype("<f4").tobytes()
