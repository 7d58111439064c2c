"""The rules contract, and one file a game."""
