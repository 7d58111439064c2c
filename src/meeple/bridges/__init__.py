"""Ways to other programs' games."""
