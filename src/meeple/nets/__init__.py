"""Networks: what they are made of, files of them, and evaluators that run them without PyTorch."""
