# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Coefficients of hypotheses in the units a person reads."""

from __future__ import annotations

import numpy as np
import pytest

from pkm_identification.identification.diagnosis.candidates import Choice
from pkm_identification.identification.diagnosis.causes import unit_scale
from pkm_identification.identification.diagnosis.discrete_causes import enlarges, list_causes_of_factor
from pkm_identification.identification.model_errors.effects import find_effects
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.dynamics.basis import PLATFORM_NAMES, basis_parameters
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters

UF = load_machine("uf")
EFFECTS = {effect.name: effect for effect in find_effects(UF, list_hexapod_parameters(UF.description))}


def test_a_centre_of_mass_is_over_the_fitted_mass():
    """A first moment off by 0.015 m of twice the file's mass is 0.03 in coefficients, which are per the file's."""
    effect = EFFECTS["center_of_mass"]
    fitted = basis_parameters(UF.description)
    assert unit_scale(Choice(effect, np.arange(3)), UF, fitted) == 1.0
    mass = PLATFORM_NAMES.index("m")
    fitted[mass] *= 2.0
    off = 0.015 * fitted[mass] * np.eye(len(fitted))[1 + mass]
    coefficients = np.linalg.lstsq(effect.directions, off, rcond=None)[0]
    scale = unit_scale(Choice(effect, np.arange(3)), UF, fitted)
    assert scale * coefficients == pytest.approx([0.015, 0.0, 0.0], abs=1e-12)
    fitted[mass] = -1.0  # nothing that a place could be over
    assert unit_scale(Choice(effect, np.arange(3)), UF, fitted) == 1.0


def test_other_effects_have_their_unit_already():
    fitted = 2.0 * basis_parameters(UF.description)
    for name, effect in EFFECTS.items():
        if name != "center_of_mass":
            assert unit_scale(Choice(effect, np.arange(len(effect.scale))), UF, fitted) == 1.0


@pytest.mark.parametrize(
    ("factor", "name", "larger"),
    [
        (4.45, "force_unit", True),
        (-4.45, "force_unit", True),
        (50.0, "force_gain", True),
        (1e-3, "force_unit", False),
        (1 / 300.0, "force_gain", False),
    ],
)
def test_a_factor_of_forces_above_1_is_told_from_one_below(factor, name, larger):
    causes = list_causes_of_factor(factor, 0.0, ())
    assert {cause.name: enlarges(cause) for cause in causes} == {name: larger} | (
        {"force_sign": False} if factor < 0.0 else {}
    )
