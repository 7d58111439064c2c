"""Where a run calculates: on the processor, or on a graphics card through PyTorch."""

from __future__ import annotations

import torch

from meeple.errors import RunError
from meeple.learn.recipe import Recipe


def device_of(recipe: Recipe) -> str:
    """`cpu` or `cuda`; RunError for a card that is not there."""
    is_there = torch.cuda.is_available()
    if recipe.device == "cuda" and not is_there:
        raise RunError("device = cuda: PyTorch finds no graphics card that it can use; take auto or cpu")
    return "cuda" if is_there and recipe.device != "cpu" else "cpu"


def is_bf16(device: str) -> bool:
    """Whether bfloat16 pays there."""
    return torch.cuda.is_bf16_supported() if device == "cuda" else _has_fast_bf16()


def _has_fast_bf16() -> bool:
    """Whether this processor calculates in bfloat16, as PyTorch sees it."""
    found = torch.cpu.get_capabilities()
    return any(found.get(kind, False) for kind in ("avx512_bf16", "amx_bf16"))
