"""Tests that need the compiled library are skipped where there is none, and say why in one line."""

import pytest

from regard.engine.build import why
from regard.engine.library import library

needs_engine = pytest.mark.skipif(library(wait=True) is None, reason=f"no engine: {why() or 'it cannot be loaded'}")
