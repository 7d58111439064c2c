"""Typed settings: frozen, without unknown names, each field explained by the sentence under it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A part of a recipe or a card."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
