# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""An actuator with one of its numbers changed: what a study of sensitivities asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..model import Actuator
from .quantity import Quantity


def varied(actuator: Actuator, quantity: Quantity, factor: float) -> Actuator:
    """Return the same actuator with one number multiplied by a factor."""
    path = (quantity.attribute or quantity.name).split(".")
    return _replace_value(actuator, path, quantity.value * factor)


def _replace_value(owner: Any, path: list[str], value: float) -> Any:
    first, *rest = path
    return replace(owner, **{first: _replace_value(getattr(owner, first), rest, value) if rest else value})
