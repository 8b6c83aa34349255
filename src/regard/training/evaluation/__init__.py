"""How good a model is on texts that it does not learn from."""
