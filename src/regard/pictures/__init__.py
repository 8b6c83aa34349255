"""Grids and labels become pictures: terminal, SVG, PNG, one-file HTML; numbers and names go in, no model is known."""

from regard.pictures.files import save
from regard.pictures.picture import Album, Picture
from regard.pictures.scales import SCALES, DivergingScale, LinearScale, LogScale, WithoutSinkScale

__all__ = ["SCALES", "Album", "DivergingScale", "LinearScale", "LogScale", "Picture", "WithoutSinkScale", "save"]
