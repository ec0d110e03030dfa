# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Effects that are always estimated, with how large each may well be before the data.

Noise finds an effect only when it has moved values by several deviations already, so none is asked whether it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pkm_identification.machines.contract import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter_set import ParameterSet

from ..model_errors.effect import Effect
from ..model_errors.effects import find_effects
from ..model_errors.forces import DELAY, GAIN
from ..model_errors.geometry import name_offset
from ..model_errors.gravity import NAME as GRAVITY
from ..model_errors.situation import Situation

COMMON_DELAY_S, DELAY_S = 1e-3, 0.2e-3  # of all forces alike, and between drives
GAIN_RATIO = 0.01  # of the drives' forces; the common factor no log shows
TILT_RAD = np.radians(0.5)
PLACE = 1e-4  # m of a machine of 1 m
ANGLE_RAD = 1e-4  # zero of an encoder that turns
FRICTION = ("friction_transition", "friction_stribeck", "friction_presliding", "friction_asymmetric",
            "friction_load", "friction_position", "friction_square", "joint_friction")  # fmt: skip


@dataclass(frozen=True)
class Nuisance:
    """One kind of effect: its columns times `directions` (q, p) are those of p unknowns of deviation 1.

    Attributes
    ----------
    effect : Effect
    names : tuple of str
        Of the p unknowns.
    widths : tuple of float
        What a deviation of each is, in `units`.
    units : tuple of str
    directions : ndarray, shape (q, p)
    """

    effect: Effect
    names: tuple[str, ...]
    widths: tuple[float, ...]
    units: tuple[str, ...]
    directions: FloatArray

    @property
    def judged(self) -> bool:
        """Whether one that is large contradicts the file: friction near standstill has no law that it could have."""
        return self.effect.name not in FRICTION

    def columns(self, situations: Sequence[Situation]) -> FloatArray:
        """Return the columns (K, n, p) at a situation of each log."""
        return np.concatenate([self.effect.columns(one) for one in situations]) @ self.directions


def list_nuisances(machine: Machine, parameters: ParameterSet) -> list[Nuisance]:
    """Return the effects that a machine with these parameters can have."""
    found = {}
    for number, effect in enumerate(find_effects(machine, parameters)):
        if effect.name in (DELAY, GAIN, GRAVITY, "force_offset", "geometry", name_offset(machine), *FRICTION):
            found[f"{effect.name} {number}"] = effect
    names = {effect.name for effect in found.values()}
    return [
        _with_prior(machine, effect)
        for effect in found.values()
        # joints and zeros of the drives are one effect where joints are known
        if effect.name != name_offset(machine) or "geometry" not in names
    ]


def _with_prior(machine: Machine, effect: Effect) -> Nuisance:
    count = len(effect.scale)
    parts = effect.members or effect.parts or tuple(f"{effect.name}_{k + 1}" for k in range(count))
    units = tuple(effect.unit_of(k) for k in range(count))
    if effect.name == DELAY:
        directions = np.column_stack([np.full(count, COMMON_DELAY_S), DELAY_S * np.eye(count)])
        widths = (COMMON_DELAY_S, *[DELAY_S] * count)
        return Nuisance(effect, (DELAY, *parts), widths, ("s",) * (count + 1), directions)
    if effect.name == GAIN:
        unlike = np.eye(count) - 1.0 / count
        return Nuisance(effect, parts, (GAIN_RATIO,) * count, ("",) * count, GAIN_RATIO * unlike)
    scale = np.array(effect.scale, dtype=float)
    if effect.name == GRAVITY:
        scale[:] = TILT_RAD
    elif effect.name in ("geometry", name_offset(machine)):
        size = PLACE * max(1.0, machine.size)
        scale = np.array([size if unit_of == "m" else ANGLE_RAD for unit_of in _place_units(machine, count)])
    names = parts if len(set(parts)) == count else tuple(f"{one}_{k + 1}" for k, one in enumerate(parts))
    return Nuisance(effect, names, tuple(scale), units, np.diag(scale))


def _place_units(machine: Machine, count: int) -> list[str]:
    """Return the units of joints' places, in front, and of the drives' zeros behind them."""
    drives = [drive.unit for drive in machine.drives]
    return ["m"] * (count - len(drives)) + drives
