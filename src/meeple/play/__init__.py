"""Players, matches and records."""
