# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the source prints of the arm as input, and the built-in machine's actuators."""

from __future__ import annotations

import numpy as np

from pkm_identification.mechanisms.actuators import Hydraulic
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.reproduction.study_file import read_file

ACTUATORS = ("L1", "L2", "L3", "L4", "vane")  # the text's names in the order of the machine's drives
_DECLARED = read_file(__package__)
DATA = _DECLARED["data"]
# what the text prints by the name of a number
PRINTED = {
    one["name"]: one["text"]
    for finding in _DECLARED["findings"]
    for one in finding["numbers"]
    if "text" in one
}

# of the built-in machine: oil compliance in m/N and rad/(N m), hydraulic compliance in m/(N s), viscous friction in
# N s/m and N m s, and where sensors show 0 V, m and rad
_SERVOS = [
    one for one in Mechanism.load("epaas_hydraulic").description.actuators or () if isinstance(one, Hydraulic)
]
COMPLIANCE = np.array([one.oil_compliance for one in _SERVOS])
LEAKAGE = np.array([one.hydraulic_compliance for one in _SERVOS])
VISCOUS = np.array([one.friction.viscous for one in _SERVOS])
OFFSET_LENGTHS = tuple(0.0 if one.loop is None else one.loop.sensor_zero for one in _SERVOS)


def _fill_symmetric(rows: list[list[float]]) -> FloatArray:
    matrix = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        matrix[i, i:] = row
        matrix[i:, i] = row
    return matrix


JOINT_MASS = _fill_symmetric(DATA["joint_mass"])
ACTUATOR_MASS = _fill_symmetric(DATA["actuator_mass"])
