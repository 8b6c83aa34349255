"""What a run is to do, as a file."""
