"""Word alignments: from looks at a source to pairs of words, and how far they are from what people say."""
