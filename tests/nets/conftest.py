"""Every architecture on several games."""

import pytest
import torch

import meeple
from reference.networks import ARCHITECTURES, GAMES

torch.set_num_threads(1)


@pytest.fixture(params=GAMES)
def game(request):
    return meeple.game(request.param)


@pytest.fixture(params=ARCHITECTURES)
def architecture(request):
    return ARCHITECTURES[request.param]
