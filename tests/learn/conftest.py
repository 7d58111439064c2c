"""One thread, for several would add up in another order."""

import torch

torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)
