"""Grids and labels become pictures: numbers in nested lists go in, text comes out; no model is known."""
