# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the source's own strut inertias would do to its masses.

Its inertias stay at the first guess, the struts' transverse ones about a tenth below the truth. Those are in the data:
masses fitted next to inertias that are held at the source's values tell whether both can come from one model.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.hexapod.dynamics import strut_forces
from pkm_identification.mechanisms.hexapod.dynamics.regressor import regressor
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.numerics.arrays import FloatArray

from .data import exact_record, study_machine
from .source_tables import INERTIAS, MASSES

HELD = {
    "X": 0.5033,
    "Z": 0.5122,
    "XY": 0.5033,
}  # Ixx_b = Izz_b in kg m^2; Z: the surely read random order (4.11)


@dataclass(frozen=True)
class HeldInertia:
    """Masses fitted next to the source's strut inertias.

    Attributes
    ----------
    errors : ndarray, shape (3,)
        Masses / truth - 1.
    residual : float
        Root mean square force left over, N.
    force : float
        Root mean square force, N.
    weak : ndarray, shape (3,)
        Changes of m_e, m_b, m_p that the motion shows least, m_p's being 1.
    """

    errors: FloatArray
    residual: float
    force: float
    weak: FloatArray


def with_centers(ratio: float) -> Machine:
    """Return the machine with centres of mass of its strut bodies at d_E / L_B = ratio, their distance sum kept."""
    machine = study_machine(False)
    strut = machine.struts[0]
    total = strut.body_b.center_of_mass + strut.body_e.center_of_mass
    near = total / (1.0 + ratio)
    moved = replace(
        strut,
        body_b=replace(strut.body_b, center_of_mass=near),
        body_e=replace(strut.body_e, center_of_mass=total - near),
    )
    return replace(machine, struts=(moved,) * len(machine.struts))


def held_inertia(motion: str, machine: Machine | None = None) -> HeldInertia:
    """Fit the masses to exact forces of a motion, all inertias held at the source's values."""
    machine = machine or study_machine(False)
    parameters = list_hexapod_parameters(machine, "oh12")
    platform = exact_record(motion, False).motion
    force = strut_forces(machine, platform)
    columns = regressor(machine, platform, parameters.mapping)
    held = parameters.nominal.copy()
    for name, source in INERTIAS.items():
        held[parameters.names.index(name)] = source.legible
    for name in ("Ixx_b", "Izz_b"):
        held[parameters.names.index(name)] = HELD[motion]
    count = len(MASSES)
    rest = force - columns[:, :, count:] @ held[count:]
    fitted = np.linalg.lstsq(columns[:, :, :count].reshape(-1, count), rest.ravel(), rcond=None)[0]
    left = rest - columns[:, :, :count] @ fitted
    # units of the parameters themselves; the last direction that is not rounding is the weakest
    _, values, directions = np.linalg.svd(
        (columns * parameters.nominal).reshape(-1, len(parameters.names)), full_matrices=False
    )
    last = int(np.count_nonzero(values > 1e-10 * values[0])) - 1
    weak = (directions[last] * parameters.nominal)[:count]
    return HeldInertia(
        errors=fitted / parameters.nominal[:count] - 1,
        residual=float(np.sqrt(np.mean(left**2))),
        force=float(np.sqrt(np.mean(force**2))),
        weak=weak / weak[2],
    )
