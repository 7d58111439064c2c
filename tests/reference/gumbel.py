"""What a Gumbel search says of its root, in plain NumPy: the twin of `search/policy.py`."""

import numpy as np

LEAST_RANGE = 1e-5


def improved_policy(priors, scaled, is_lost):
    """The softmax of logits plus scaled values, over moves that are not proven to lose if there are any."""
    scores = np.log(np.maximum(priors, 1e-30)) + scaled
    if not all(is_lost):
        scores[is_lost] = -np.inf
    weights = np.exp(scores - scores.max())
    return weights / weights.sum()


def scaled_values(priors, values, visits, raw_value, *, value_scale, visit_offset):
    """Values from the lowest to the highest, stretched the further the more visits there are.

    What was not visited is worth a mean of the evaluator's word and of the visited values, weighted by priors.
    """
    tried, mixed = visits > 0, raw_value
    if tried.any():
        weights = np.maximum(priors[tried], 1e-30)
        mean = float(np.sum(weights * values[tried]) / np.sum(weights))
        mixed = (raw_value + visits.sum() * mean) / (visits.sum() + 1)
    completed = np.where(tried, values, mixed)
    low, high = completed.min(), completed.max()
    return (visit_offset + visits.max()) * value_scale * (completed - low) / max(high - low, LEAST_RANGE)
