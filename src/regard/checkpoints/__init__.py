"""Checkpoints in and out, in the Hugging Face layout."""

from regard.checkpoints.convert import convert
from regard.checkpoints.files import CheckpointError
from regard.checkpoints.join import JoinedModel, join
from regard.checkpoints.load import Checkpoint, load_model
from regard.checkpoints.save import save_model

__all__ = ["Checkpoint", "CheckpointError", "JoinedModel", "convert", "join", "load_model", "save_model"]
