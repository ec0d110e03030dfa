# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every row of the table of causes, in sizes and directions that suit a machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.simulation.plant import Plant


@dataclass(frozen=True)
class Case:
    """One fault in one machine.

    Attributes
    ----------
    machine : str
    row : str
        Of the table.
    fault : str
        As `pkm simulate --fault` takes it.
    size : int
        0 small, 1 middle, 2 large.
    down : bool
        The other direction.
    """

    machine: str
    row: str
    fault: str
    size: int
    down: bool = False

    @property
    def key(self) -> str:
        """A file name."""
        return f"{self.machine}-{self.fault}".replace("=", "_").replace(",", "_")


@dataclass(frozen=True)
class Row:
    """A row: three sizes, and what a size becomes in the fault's text."""

    name: str
    sizes: tuple[float | str, ...]
    factor: bool = False  # 1 + size
    both: bool = True


@dataclass(frozen=True)
class Scale:
    """What sizes of a machine's faults are measured by."""

    force: float  # N, to hold the machine
    mass: float  # kg, of a strut
    radius: float  # m
    moment: float  # kg m^2, smallest of the platform
    coulomb: float  # N
    transition: float  # m/s

    @classmethod
    def of(cls, machine: Machine) -> Scale:
        holding = float(np.sqrt(np.mean(Plant(machine).holding_force() ** 2)))
        strut = machine.struts[0]
        return cls(
            force=max(holding, float(np.mean(machine.friction.coulomb))),
            mass=strut.body_b.mass + strut.body_e.mass,
            radius=machine.length_scale,
            moment=float(np.linalg.eigvalsh(machine.platform.inertia)[0]),
            coulomb=float(np.mean(machine.friction.coulomb)),
            transition=machine.friction.transition_rate,
        )


def rows(scale: Scale) -> list[Row]:
    """All rows of the table for one machine."""
    f, m, r = scale.force, scale.mass, scale.radius
    found = [
        Row("force_delay", (2e-4, 5e-4, 2e-3)),
        Row("force_delay_2", (3e-4, 1e-3, 3e-3)),
        Row("force_gain_4", (0.01, 0.03, 0.1), factor=True),
        Row("force_gain", (1.0, 2.0, 4.0), factor=True, both=False),
        Row("force_offset_3", (0.03 * f, 0.1 * f, 0.3 * f)),
        Row("force_sign", ("-1",), both=False),
        Row("force_unit", ("kN", "kgf", "lbf", "A"), both=False),
        Row("length_unit", ("mm", "inch"), both=False),
        Row("time_unit", ("ms", "us"), both=False),
        Row("exchanged_struts", ("1-2", "3-6", "234561"), both=False),
        Row("exchanged_lengths", ("1-2", "3-6", "234561"), both=False),
        Row("length_offset_3", (3e-4, 1e-3, 3e-3)),
        Row("length_scale_5", (0.003, 0.01, 0.03), factor=True),
        Row("gravity_direction", (0.003, 0.01, 0.03)),
        Row("gravity_direction", ("upside_down",), both=False),
        Row("motor_inertia", (0.03 * m, 0.1 * m, 0.5 * m), both=False),
        Row("center_of_mass", (0.01 * r, 0.05 * r, 0.15 * r)),
        Row("products_of_inertia", (0.03 * scale.moment, 0.1 * scale.moment, 0.3 * scale.moment)),
        Row("unequal_struts", (0.03, 0.1, 0.2)),
        Row("friction_load", (0.01, 0.03, 0.1), both=False),
        Row("joint_friction", (0.003 * f * r, 0.01 * f * r, 0.03 * f * r), both=False),
        Row("hinge_axis", (0.2, 0.6, 1.2)),
        Row("hinge_at_platform", ("0", "0.8", "1.5"), both=False),
        Row("no_spin", ("1",), both=False),
        Row("geometry", (1e-4, 3e-4, 1e-3)),
        Row("geometry_2", (3e-4, 1e-3, 3e-3)),
        Row("compliance", (1e-6 / f, 1e-5 / f, 1e-4 / f), both=False),
        Row("lost_counts_3", (1e-4, 3e-4, 1e-3)),
        Row("saturation", (2.0 * f, 1.2 * f, 0.8 * f), both=False),
        Row("changed_during_log", (0.03, 0.1, 0.3)),
    ]
    if scale.coulomb > 0.0:
        found += [
            Row(
                "friction_transition",
                (2 * scale.transition, 4 * scale.transition, 8 * scale.transition),
                both=False,
            ),
            Row("friction_stribeck", (0.1, 0.3, 0.8)),
            Row("friction_presliding", (5e-6, 2e-5, 6e-5), both=False),
            Row("friction_asymmetric", (0.03, 0.1, 0.3)),
            Row("friction_position", (0.5, 1.5, 4.0)),
            Row("changed_during_log_friction", (0.05, 0.15, 0.4)),
        ]
    return found


def cases_of(name: str, machine: Machine) -> Iterator[Case]:
    """All cases of one machine."""
    for row in rows(Scale.of(machine)):
        for number, size in enumerate(row.sizes):
            for down in (False, True) if row.both else (False,):
                yield Case(name, row.name, f"{row.name}={_value(row, size, down)}", min(number, 2), down)


def _value(row: Row, size: float | str, down: bool) -> str:
    if isinstance(size, str):
        return size
    if row.factor:
        return f"{1.0 / (1.0 + size) if down else 1.0 + size:.6g}"
    return f"{-size if down else size:.6g}"


def quick(cases: list[Case]) -> list[Case]:
    """One of every row: the middle size; machines and directions take turns."""
    chosen: dict[tuple[str, str], Case] = {}
    machines = list(dict.fromkeys(case.machine for case in cases))
    names = list(dict.fromkeys(case.row for case in cases))
    for number, name in enumerate(names):
        own = [case for case in cases if case.row == name]
        for machine in machines[number % len(machines) :] + machines[: number % len(machines)]:
            there = [case for case in own if case.machine == machine]
            if there:
                wanted = [case for case in there if case.size == 1 and case.down == bool(number % 2)]
                pick = (wanted or [case for case in there if case.size == 1] or there)[0]
                chosen[name, machine] = pick
                break
    return list(chosen.values())
