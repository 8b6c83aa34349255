"""One file for each protocol."""
