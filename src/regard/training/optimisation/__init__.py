"""One step: the loss, its gradient, and how far the weights move."""
