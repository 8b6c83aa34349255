"""Looking inside a model that runs: watch and edit."""

from regard.looking.edit import Edits, edit
from regard.looking.watch import Seen, watch

__all__ = ["Edits", "Seen", "edit", "watch"]
