"""What players are worth: proofs of their play."""
