"""What tasks do without a model: texts become tokens, and numbers become answers. Nothing here imports torch."""
