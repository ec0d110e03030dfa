# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
