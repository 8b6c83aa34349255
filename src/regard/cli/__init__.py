"""The command `regard`: main.py holds the table of commands, every other file is one command."""
