"""Text becomes tokens, and tokens become text."""

from regard.text.batches import Batch, batches
from regard.text.encoded import Encoded
from regard.text.files import TokenizerError
from regard.text.folder import load_tokenizer
from regard.text.specials import Specials
from regard.text.streaming import Stream
from regard.text.tokenizer import Tokenizer

__all__ = ["Batch", "Encoded", "Specials", "Stream", "Tokenizer", "TokenizerError", "batches", "load_tokenizer"]
