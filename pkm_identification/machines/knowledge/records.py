# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well the numbers of a machine file are known: values and standard deviations, each with its key.

`Machine.knowledge` has them for any machine; `build_knowledge` makes them of what the file says and of the defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

# beside the words of `mechanisms.known_statements`: stated, and not stated
WIDTH, DEFAULT = "width", "default"
# Of the machine's size: .1 mm in a machine of .7 m
PLACES = {"measured": 0.5e-4, "cad": 1.5e-4, DEFAULT: 1.5e-4, "guessed": 1.5e-3}


@dataclass(frozen=True)
class KnownNumber:
    """One number of a machine file, independent of the others, and how well it is known.

    Attributes
    ----------
    kind : str
        What it is: mass, center_of_mass, moment, product (of bodies); motor_inertia, a friction coefficient's name,
        asymmetry, force_gain, force_offset, force_delay, coordinate_offset, coordinate_scale (of drives);
        common_force_gain, common_force_delay, time_base, passive_friction, gravity_size, gravity_direction,
        joint_places, numbers (of the machine).
    key : str
        Where it is in the file, as `strut.body_e.mass` or `bodies.arm.center_of_mass.0`; of what the file has no
        number for the key that would state its width, as `tolerances.time_base`.
    value : float
        As the file has it, in `unit`.
    width : float
        Its standard deviation in `unit`, always greater than zero.
    unit : str
        SI; empty of what is relative.
    how : str
        measured, cad, guessed; 'width' where the file states a width; 'default' where it states nothing.
    log_width : float, optional
        Standard deviation of the logarithm of a number that is log-normal; None: it is normal.
    drives : tuple of int
        Whose coordinates or forces are off, from 0; empty of what is the machine's.
    paths : mapping of str to float
        Numbers of the file that a unit of it changes, and by how much: for `Machine.with_changes`.
    name : str
        Unique among those of a machine; the key where nothing else is said.
    """

    kind: str
    key: str
    value: float
    width: float
    unit: str
    how: str
    log_width: float | None = None
    drives: tuple[int, ...] = ()
    paths: Mapping[str, float] = field(default_factory=dict)
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.key)


@dataclass(frozen=True)
class KnownBody:
    """A rigid body: mass, centre of mass and inertia about it, in its frame's axes.

    A body of a hexapod's strut is symmetric: it has one coordinate of its centre of mass, along the strut, and the
    moments [transverse, axial]. A planar body has two coordinates and one moment. Others have three of each.

    Attributes
    ----------
    name : str
        Unique: `platform`, `body_b_1` to `body_e_6`, or the body's name.
    section : str
        Its section in the file: `strut.body_e`, `bodies.arm`.
    size : float
        What its centre of mass is compared with, m: the shortest strut, the platform's radius, or half the body's
        largest length.
    mass : KnownNumber
        Log-normal, unless the file has 0.
    center_of_mass : tuple of 1, 2 or 3 KnownNumber
        m.
    moments : tuple of 1, 2 or 3 KnownNumber
        Principal diagonal of the inertia about the centre of mass, kg m^2, log-normal unless the file has 0. Widths
        are those at this mass: a moment is mass times radius of gyration squared, see `gyration`.
    products : tuple of 0 or 3 KnownNumber
        xy, xz, yz, kg m^2, at this mass.
    """

    name: str
    section: str
    size: float
    mass: KnownNumber
    center_of_mass: tuple[KnownNumber, ...]
    moments: tuple[KnownNumber, ...]
    products: tuple[KnownNumber, ...] = ()

    @property
    def gyration(self) -> tuple[KnownNumber, ...]:
        """Radii of gyration, m, log-normal unless the file has 0; half the log-widths of the moments."""
        mass = self.mass.value if self.mass.value > 0.0 else self.mass.width
        found = []
        for moment in self.moments:
            value = float(np.sqrt(max(moment.value, 0.0) / mass))
            log_width = None if moment.log_width is None else 0.5 * moment.log_width
            width = float(np.sqrt(moment.width / mass)) if log_width is None else value * log_width
            found.append(
                replace(moment, kind="gyration", value=value, width=width, unit="m", log_width=log_width)
            )
        return tuple(found)

    @property
    def numbers(self) -> tuple[KnownNumber, ...]:
        """All of them: mass, centre of mass, moments, products."""
        return (self.mass, *self.center_of_mass, *self.moments, *self.products)


@dataclass(frozen=True)
class LikeBodies:
    """Bodies that are made alike: each number of each differs from the common one by little.

    Attributes
    ----------
    key : str
        What states it: the section of the first of them, `strut.body_e`.
    bodies : tuple of str
        Their names.
    width : float
        Standard deviation of the logarithm of each one's mass, first moment and moments of inertia over the common.
    how : str
        As of `KnownNumber`.
    """

    key: str
    bodies: tuple[str, ...]
    width: float
    how: str


@dataclass(frozen=True)
class Knowledge:
    """How well all numbers of a machine file are known.

    Attributes
    ----------
    bodies : tuple of KnownBody
        In the order of the file; of a hexapod the platform, then bodies B and E of each strut. Numbers of bodies that
        share a section, as of `strut`, are one number with one key.
    alike : tuple of LikeBodies
    numbers : tuple of KnownNumber
        Of the drives and of the machine.
    """

    bodies: tuple[KnownBody, ...]
    alike: tuple[LikeBodies, ...]
    numbers: tuple[KnownNumber, ...]

    def __iter__(self) -> Iterator[KnownNumber]:
        """Yield every number once: of bodies that share a section those of the first."""
        seen = set()
        for body in self.bodies:
            if body.section not in seen:
                seen.add(body.section)
                yield from body.numbers
        yield from self.numbers

    def of_kind(self, kind: str) -> tuple[KnownNumber, ...]:
        """Return the numbers of a kind, of drives in their order."""
        return tuple(one for one in self if one.kind == kind)

    def body(self, name: str) -> KnownBody:
        """Return a body by its name."""
        return next(one for one in self.bodies if one.name == name)
