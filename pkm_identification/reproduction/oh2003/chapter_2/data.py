"""The machines of section 2.4: without spin about the struts' axes, the UF machine with this section's inertias.

Section 2.4 gives the UF machine other inertias than chapters 4 and 5, which the built-in file holds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine, Platform, Strut

MACHINES = ("uf", "hexel", "ford")  # in the order of m_p / (6 m_e)
GROUPS = ("pm", "sm", "cor", "cen", "grp", "grs")  # those of the study, which has no friction


def study_machine(name: str, chapters_4_5: bool = False) -> Machine:
    """A machine of the study, without spin; UF has the inertias of section 2.4, or those of chapters 4 and 5."""
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
