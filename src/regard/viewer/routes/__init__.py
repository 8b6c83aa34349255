"""What a page may ask, one file for each kind of question."""
