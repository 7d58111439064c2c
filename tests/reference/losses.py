"""Losses by loops over rows and actions."""

import math


def softmax(logits, legal):
    """Chances of legal actions; nothing for the others."""
    highest = max(logit for logit, may in zip(logits, legal, strict=True) if may)
    powers = [math.exp(logit - highest) if may else 0.0 for logit, may in zip(logits, legal, strict=True)]
    return [power / sum(powers) for power in powers]


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers) if numbers else 0.0


def policy(rows, is_squared):
    """Rows of logits, target and legal actions; a target of zeros is none."""
    losses = []
    for logits, target, legal in rows:
        if not any(target):
            continue
        chances = softmax(logits, legal)
        if is_squared:
            losses.append(mean((one - other) ** 2 for one, other in zip(chances, target, strict=True)))
        else:
            losses.append(
                -sum(share * math.log(chance) for share, chance in zip(target, chances, strict=True) if share)
            )
    return mean(losses)


def entropy(rows):
    return mean(-sum(share * math.log(share) for share in row if share) for row in rows if any(row))


def target(outcome, root_value, share):
    return (1 - share) * outcome + share * root_value


def value(rows, share):
    """Rows of value, outcome and root value."""
    return mean((found - target(outcome, root_value, share)) ** 2 for found, outcome, root_value in rows)


def chances(rows, share):
    """Rows of three logits, outcome and root value."""
    losses = []
    for logits, outcome, root_value in rows:
        found = softmax(logits, [True] * 3)
        ended = {1: [1, 0, 0], 0: [0, 1, 0], -1: [0, 0, 1]}[int(outcome)]
        thought = [(1 + root_value) / 2, 0, (1 - root_value) / 2]
        wanted = [target(one, other, share) for one, other in zip(ended, thought, strict=True)]
        losses.append(-sum(want * math.log(chance) for want, chance in zip(wanted, found, strict=True)))
    return mean(losses)


def margin(rows, step):
    """Rows of margin, target and whether it is known."""
    losses = []
    for found, wanted, is_known in rows:
        error = abs(found - wanted) / step
        if is_known:
            losses.append(error**2 / 2 if error < 1 else error - 0.5)
    return mean(losses)


def owners(rows):
    """Rows of owners, targets and whether they are known."""
    return mean(
        mean((one - other) ** 2 for one, other in zip(found, wanted, strict=True))
        for found, wanted, is_known in rows
        if is_known
    )
