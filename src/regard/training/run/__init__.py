"""A run: its processes, its loop, what it writes and how it goes on after it was stopped."""
