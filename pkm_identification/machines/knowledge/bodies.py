# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well masses, centres of mass and inertias of bodies are known: by the file, else by the size of each body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pkm_identification.numerics.arrays import FloatArray

from .file import KnownFile
from .records import DEFAULT, WIDTH, KnownBody, KnownNumber, LikeBodies


class BodyWidths(NamedTuple):
    """Standard deviations of a body's numbers that are known in some way.

    `mass` and `gyration` (radius of gyration) are of logarithms, `center` is of the body's size; `alike` is that of the
    logarithm of one number of bodies that are made alike over the common one.
    """

    mass: float
    center: float
    gyration: float
    alike: float


# A centre of mass that is measured: .5 mm in a body of .3 m. Guessed: a factor of e.
BODY_WIDTHS = {
    "measured": BodyWidths(0.005, 1.0 / 600.0, 0.02, 0.005),
    "cad": BodyWidths(0.05, 0.02, 0.05, 0.02),
    DEFAULT: BodyWidths(0.2, 0.05, 0.15, 0.03),
    "guessed": BodyWidths(1.0, 0.2, 1.0, 0.05),
}
NO_MOMENT = 0.1  # of mass times size squared: width of a moment of inertia that the file has as 0
MOST_PRODUCT = 0.3  # of the root of two moments: a product of a body of any shape, with unknown axes
DENSITY = 100.0  # kg/m^3 of the ball around a body in a file without masses: a tenth of it is filled
SMALLEST = 0.1  # m: of bodies in a file without lengths
ALIKE_KEY = "tolerances.bodies_alike"
SAME = 1e-9  # relative: smaller differences, of bodies that are alike and from 0, are rounding


@dataclass(frozen=True)
class BodyValues:
    """What a machine file says of one body.

    Attributes
    ----------
    name, section : str
        See `KnownBody`.
    size : float
        m, greater than zero.
    mass : float
        kg.
    center, moments, products : ndarray
        See `KnownBody`.
    keys : tuple of str
        Of the mass, then of each entry of center, moments and products.
    per_mass : bool
        Whether the file has first moments in place of the centre of mass.
    """

    name: str
    section: str
    size: float
    mass: float
    center: FloatArray
    moments: FloatArray
    products: FloatArray
    keys: tuple[str, ...]
    per_mass: bool = False


def build_bodies(bodies: Sequence[BodyValues], file: KnownFile) -> tuple[KnownBody, ...]:
    """Return how well the numbers of bodies are known."""
    masses = [one.mass for one in bodies if one.mass > 0.0]
    lightest = min(masses, default=0.0)
    return tuple(_build_body(one, file, lightest) for one in bodies)


def find_like_bodies(bodies: Sequence[BodyValues], file: KnownFile) -> tuple[LikeBodies, ...]:
    """Return groups of bodies of which the file says the same: made alike, within a width that may be stated."""
    groups: list[list[BodyValues]] = []
    for body in bodies:
        group = next((one for one in groups if _are_like(one[0], body)), None)
        if group is None:
            groups.append([body])
        else:
            group.append(body)
    found, stated = [], file.tolerances.of_machine.get("bodies_alike")
    for group in groups:
        if len(group) > 1 and group[0].mass > 0.0:
            how, _ = file.find_how(group[0].section)
            width = BODY_WIDTHS[DEFAULT if how == WIDTH else how].alike
            if stated is not None:
                how, width = WIDTH, stated
            found.append(LikeBodies(ALIKE_KEY, tuple(one.name for one in group), width, how))
    return tuple(found)


def guess_mass(size: Any) -> Any:
    """Return the mass in kg of bodies of a size in m of which nothing is known."""
    return DENSITY * 4.0 / 3.0 * np.pi * size**3


def _are_like(one: BodyValues, other: BodyValues) -> bool:
    first, second = (
        np.array([each.size, each.mass, *each.center, *each.moments, *each.products]) for each in (one, other)
    )
    return first.shape == second.shape and bool(np.allclose(first, second, rtol=SAME, atol=0.0))


def _build_body(body: BodyValues, file: KnownFile, lightest: float) -> KnownBody:
    own = body.mass or lightest or guess_mass(body.size)
    largest = own * body.size**2
    diagonal = np.where(body.moments > SAME * largest, body.moments, 0.0)
    keys = iter(body.keys)

    def read(
        kind: str, value: float, unit: str, scale: float, shares: dict[str, float], log: bool
    ) -> KnownNumber:
        """Return a number of which a word is a share of the logarithm, or of the scale where it is not log-normal."""
        key = next(keys)
        how, stated = file.find_how(key)
        log = log and value > 0.0
        if stated is None:
            share = shares[how]
        elif stated.relative:
            share = stated.size if log or value == 0.0 else stated.size * abs(value) / scale
        else:
            share = stated.size * (1.0 / own if body.per_mass and kind == "center_of_mass" else 1.0)
            share /= value if log else scale
        width = share * (value if log else scale)
        paths = {} if body.per_mass else {key: 1.0}
        return KnownNumber(kind, key, value, width, unit, how, share if log else None, paths=paths)

    words = BODY_WIDTHS.items()
    unknown = dict.fromkeys(BODY_WIDTHS, 1.0)  # what the file has as 0 has mostly been left out
    of_mass = {how: one.mass for how, one in words} if body.mass > 0.0 else unknown
    mass = read("mass", body.mass, "kg", own, of_mass, True)
    # of a body without a mass the file says no place either
    of_center = {how: one.center for how, one in words} if body.mass > 0.0 else unknown
    center = tuple(
        read("center_of_mass", float(one), "m", body.size, of_center, False) for one in body.center
    )
    doubled = {how: 2.0 * one.gyration for how, one in words}  # a moment has its square
    moments = tuple(
        read("moment", float(one), "kg m^2", NO_MOMENT * largest, doubled if one > 0.0 else unknown, True)
        for one in diagonal
    )
    across = [np.sqrt(diagonal[i] * diagonal[k]) for i, k in ((0, 1), (0, 2), (1, 2))[: len(body.products)]]
    turned = {how: min(one.gyration, MOST_PRODUCT) for how, one in words}
    products = tuple(
        read("product", float(one), "kg m^2", float(size) or NO_MOMENT * largest, turned, False)
        for one, size in zip(body.products, across, strict=True)
    )
    return KnownBody(body.name, body.section, body.size, mass, center, moments, products)
