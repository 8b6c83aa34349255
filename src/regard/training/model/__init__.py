"""The model that is trained: what it is made of, and the weights that it starts from."""
