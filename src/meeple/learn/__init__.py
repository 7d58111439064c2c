"""Learning: recipes, self-play, replay, the learner, and runs."""
