# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The machines of section 2.4: without spin about the struts' axes, the UF machine with this section's inertias.

Section 2.4 gives the UF machine other inertias than chapters 4 and 5, which the built-in file holds. Its figures vary
mass ratio and geometry one at a time (captions of Figs 2.10-2.15): bodies of one machine on the joints of another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.mechanisms.hexapod.bodies import Platform, Strut
from pkm_identification.mechanisms.hexapod.machine import Machine

from ..table_2_2_motions import SPEEDS, SourceMotion

MACHINES = ("uf", "hexel", "ford")  # in the order of m_p / (6 m_e)
GROUPS = ("pm", "sm", "cor", "cen", "grp", "grs")  # those of the study, which has no friction
KINDS = ("x", "z", "rotation")


@dataclass(frozen=True)
class Reach:
    """Table of l.2971-79: where a machine's motions end and how fast they are: m, m/s, m/s^2, deg."""

    end: float
    feed: float
    acceleration: float
    angle: float


REACH = {
    "uf": Reach(0.04, 0.3, 4.0, 5.0),
    "hexel": Reach(0.3, 0.3, 3.0, 15.0),
    "ford": Reach(0.6, 1.0, 10.0, 10.0),
}
SHARE = 2 / 3  # of a machine's end point that is amplitude, the rest is offset: as in Table 2.2
OTHER_SHARES = {"1 : 1": 1 / 2, "1 : 2": 1 / 3}
# Captions (S): figure, geometry of, masses of, speed, what is shown.
FIGURES = (
    ("2.10", "uf", "uf", "low", "mean"),
    ("2.11", "uf", "uf", "high", "mean"),
    ("2.12", "uf", "hexel", "high", "mean"),
    ("2.13", "hexel", "uf", "high", "mean"),
    ("2.14", "uf", "uf", "low", "variation"),
    ("2.15", "uf", "uf", "high", "variation"),
)
AXES = {"2.15": 120.0}  # %, the tick that survives (l.4917)
CASES = (("x", False), ("x", True), ("z", False), ("z", True), ("rotation", False), ("rotation", True))


def study_machine(name: str, chapters_4_5: bool = False) -> Machine:
    """Return a machine of the study, without spin; UF has the inertias of section 2.4, or those of chapters 4 and 5."""
    machine = replace(Machine.load(name), base_joint="no_spin")
    if name != "uf" or chapters_4_5:
        return machine
    strut = machine.struts[0]
    return replace(
        machine,
        platform=Platform(4.82, machine.platform.center_of_mass, np.diag([0.0908, 0.0908, 0.181])),
        struts=(
            Strut(
                replace(strut.body_b, mass=7.72, transverse=0.552, axial=0.00751),
                replace(strut.body_e, mass=1.79, transverse=0.0183, axial=0.00160),
            ),
        )
        * len(machine.struts),
    )


def crossed(geometry: str, masses: str) -> Machine:
    """Return the joints of one machine with the bodies of another."""
    bodies = study_machine(masses)
    return replace(study_machine(geometry), platform=bodies.platform, struts=bodies.struts)


def scaled_motions(name: str, share: float = SHARE) -> dict[str, SourceMotion]:
    """Motions of the six cases at three speeds, scaled for a machine (l.2971-79); our reading.

    Amplitude and offset end together at the machine's end point (for UF .027 + .013 m where Table 2.2 has .0254 +
    .0127 m), `share` of it the amplitude; the top speed is the highest that keeps feed and acceleration.
    """
    reach = REACH[name]
    amplitude, offset = share * reach.end, (1 - share) * reach.end
    top = min(reach.feed / amplitude, float(np.sqrt(reach.acceleration / amplitude)))
    motions = (
        SourceMotion(kind, offset if aside else 0.0, speed, amplitude, np.deg2rad(reach.angle), top)
        for kind, aside in CASES
        for speed in SPEEDS
    )
    return {motion.name: motion for motion in motions}
