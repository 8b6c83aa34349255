"""Texts become batches: what an objective learns from, in which order."""
