# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Unknowns of bodies, friction and drives, and the basis that they make up.

Masses and radii of gyration are log-normal before the data, centres of mass and products normal: an inertia guessed
a hundred times too small is then a mass and a radius that are guessed, and no second optimum. Bodies made alike have
unknowns in common, and each its own small deviations from them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.knowledge import Knowledge, KnownBody, KnownNumber, LikeBodies
from pkm_identification.numerics.arrays import FloatArray

# Offsets of a body: mass, centre of mass, moments about it, products
_CENTER, _MOMENT, _PRODUCT = slice(1, 4), slice(4, 7), slice(7, 10)
_PAIRS = ((0, 1), (0, 2), (1, 2))
# Which of three axes the entries of `KnownBody` are of, by how many there are: along a strut, in a plane, in space
_CENTER_AXES: dict[int, tuple[tuple[int, ...], ...]] = {1: ((2,),), 2: ((0,), (1,)), 3: ((0,), (1,), (2,))}
_MOMENT_AXES: dict[int, tuple[tuple[int, ...], ...]] = {1: ((2,),), 2: ((0, 1), (2,)), 3: ((0,), (1,), (2,))}
_DEVIATIONS = {
    "mass": 0.8,
    "center_of_mass": 0.6,
    "moment": 0.6,
}  # of what alike bodies differ by, so that the
# logs of mass, first moment and moment about the joint differ by all of it
_SHOWN_UNITS = {"m": ("mm", 1e3), "%": ("%", 100.0)}


@dataclass(frozen=True)
class Unknown:
    """One unknown, standard normal before the data.

    Attributes
    ----------
    name : str
        For people.
    key : str
        Of the file's number, or of the effect.
    width : float
        What a deviation of it is, in `unit`.
    unit : str
        '%' of what is log-normal, 'mm', or as SI has it.
    assessed : bool
        Whether many deviations from the file contradict the file.
    effect : bool
        Whether it is a nuisance effect.
    widened : float
        How many stated widths its width is: more than 1 of an effect, of differences of bodies made alike, or of a
        motor of which the file says nothing, that was found to be large.
    largest : float
        What no machine can have more of, in `unit`.
    guessed : bool
        Whether the file says that it is a guess.
    """

    name: str
    key: str
    width: float
    unit: str = ""
    assessed: bool = True
    effect: bool = False
    widened: float = 1.0
    largest: float = float("inf")
    guessed: bool = False

    @property
    def in_file(self) -> bool:
        """Whether a file can state it."""
        return not self.effect or self.key != self.name


class BodyShape:
    """A body of the file: its ten parameters about its frame's origin by ten offsets from the file's numbers."""

    def __init__(self, known: KnownBody) -> None:
        self.known = known
        self.mass = known.mass.value
        self.log_mass = known.mass.log_width is not None
        self.center, self.moments, self.products = np.zeros(3), np.zeros(3), np.zeros(3)
        for axes, one in zip(_CENTER_AXES[len(known.center_of_mass)], known.center_of_mass, strict=True):
            self.center[list(axes)] = one.value
        self.log_moment = np.zeros(3, dtype=bool)
        for axes, one in zip(_MOMENT_AXES[len(known.moments)], known.moments, strict=True):
            self.moments[list(axes)] = one.value
            self.log_moment[list(axes)] = one.log_width is not None
        self.products[: len(known.products)] = [one.value for one in known.products]

    def list_directions(self) -> list[tuple[KnownNumber, FloatArray, float]]:
        """Return each number of the file, the offset (10,) that it is, and its width in the offset's unit."""
        known, unit = self.known, np.eye(10)
        found = [(known.mass, unit[0], known.mass.log_width or known.mass.width)]
        for axes, one in zip(_CENTER_AXES[len(known.center_of_mass)], known.center_of_mass, strict=True):
            found.append((one, unit[1 + axes[0]], one.width))
        for axes, one in zip(_MOMENT_AXES[len(known.moments)], known.moments, strict=True):
            found.append((one, unit[[4 + k for k in axes]].sum(axis=0), one.log_width or one.width))
        found += [(one, unit[7 + k], one.width) for k, one in enumerate(known.products)]
        return found

    def compute(self, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ten parameters and their slope (10, 10).

        Parameters
        ----------
        offsets : ndarray, shape (10,)
            Of the log of the mass, the centre of mass in m, logs of the moments and the products, both at the file's
            mass; of the mass in kg and of moments in kg m^2 where the file has 0.
        """
        ten, slope = _Shapes.stack([self]).compute(offsets[None])
        return ten[0], slope[0]


@dataclass(frozen=True)
class _Shapes:
    """The numbers of `BodyShape` of N bodies: masses (N,), the rest (N, 3)."""

    mass: FloatArray
    log_mass: NDArray[np.bool_]
    center: FloatArray
    moments: FloatArray
    log_moment: NDArray[np.bool_]
    products: FloatArray

    @classmethod
    def stack(cls, shapes: Sequence[BodyShape]) -> _Shapes:
        names = ("mass", "log_mass", "center", "moments", "log_moment", "products")
        return cls(*(np.array([getattr(one, name) for one in shapes]) for name in names))

    def compute(self, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the ten parameters (N, 10) and their slopes (N, 10, 10) at offsets (N, 10)."""
        grown = np.exp(offsets[:, 0] * self.log_mass)
        mass = np.where(self.log_mass, self.mass * grown, self.mass + offsets[:, 0])
        center = self.center + offsets[:, _CENTER]
        turned = offsets[:, _MOMENT]
        diagonal = self.moments * np.exp(turned * self.log_moment) + turned * ~self.log_moment
        diagonal *= grown[:, None]
        products = grown[:, None] * (self.products + offsets[:, _PRODUCT])
        square = center**2
        of_mass = np.empty((len(mass), 10))
        of_mass[:, 0] = 1.0
        of_mass[:, _CENTER] = center
        of_mass[:, _MOMENT] = square.sum(axis=1, keepdims=True) - square
        for k, (a, b) in enumerate(_PAIRS):
            of_mass[:, 7 + k] = -center[:, a] * center[:, b]
        ten = mass[:, None] * of_mass
        ten[:, _MOMENT] += diagonal
        ten[:, _PRODUCT] += products
        slope = np.zeros((len(mass), 10, 10))
        slope[:, :, 0] = np.where(self.log_mass[:, None], ten, of_mass)
        for j in range(3):
            slope[:, 1 + j, 1 + j] = mass
            for k in range(3):
                if k != j:
                    slope[:, 4 + k, 1 + j] = 2.0 * mass * center[:, j]
            for k, (a, b) in enumerate(_PAIRS):
                if j in (a, b):
                    slope[:, 7 + k, 1 + j] = -mass * center[:, b if j == a else a]
            slope[:, 4 + j, 4 + j] = np.where(self.log_moment[:, j], diagonal[:, j], grown)
            slope[:, 7 + j, 7 + j] = grown
        return ten, slope


@dataclass(frozen=True)
class _Part:
    """Unknowns `where` of one body: its offsets are `columns` times them, and `rows` (B, 10) lead to the basis."""

    shape: BodyShape
    rows: FloatArray
    where: NDArray[np.int64]
    columns: FloatArray


@dataclass(frozen=True)
class _Joined:
    """All parts and directions as a few arrays: what the search for a mode computes thousands of times.

    Attributes
    ----------
    shapes : _Shapes
    columns : ndarray, shape (N, 10, q)
        From the first q unknowns, those of bodies, to the offsets of each.
    rows : ndarray, shape (B, 10 N)
    linear : ndarray, shape (T, p)
    """

    shapes: _Shapes
    columns: FloatArray
    rows: FloatArray
    linear: FloatArray

    @classmethod
    def join(
        cls, parts: Sequence[_Part], linear: Sequence[tuple[int, FloatArray]], values: int, width: int
    ) -> _Joined:
        last = 1 + max((int(part.where.max()) for part in parts), default=-1)
        columns = np.zeros((len(parts), 10, last))
        for own, part in zip(columns, parts, strict=True):
            own[:, part.where] = part.columns
        directions = np.zeros((values, width))
        for k, direction in linear:
            directions[:, k] = direction
        rows = np.hstack([part.rows for part in parts]) if parts else np.zeros((0, 0))
        return cls(_Shapes.stack([part.shape for part in parts]), columns, rows, directions)

    def compute(self, start: FloatArray, unknowns: FloatArray) -> tuple[FloatArray, FloatArray]:
        values, slope = start + self.linear @ unknowns, self.linear.copy()
        if len(self.columns):
            own = self.columns.shape[2]
            ten, its_slope = self.shapes.compute(self.columns @ unknowns[:own])
            values[: len(self.rows)] += self.rows @ ten.ravel()
            slope[: len(self.rows), :own] += self.rows @ (its_slope @ self.columns).reshape(-1, own)
        return values, slope


@dataclass
class FileModel:
    """See `estimation.posterior.mode.CurvedModel`: the basis (B,) and then what else is linear, of unknowns.

    Attributes
    ----------
    start : ndarray, shape (T,)
        The file's values, without those of bodies.
    unknowns : list of Unknown
    """

    start: FloatArray
    unknowns: list[Unknown] = field(default_factory=list)
    _parts: list[_Part] = field(default_factory=list)
    _linear: list[tuple[int, FloatArray]] = field(default_factory=list)
    _joined: _Joined | None = None

    @classmethod
    def of_bodies(
        cls,
        knowledge: Knowledge,
        rows: Sequence[FloatArray],
        nominal: FloatArray,
        values: int,
        spread: float = 1.0,
    ) -> FileModel:
        """Return the model of a machine's bodies; of `values` numbers in all, the others are still to be added.

        Parameters
        ----------
        knowledge : Knowledge
        rows : sequence of ndarray, shape (B, 10)
            Of each body.
        nominal : ndarray, shape (B,)
            The file's basis.
        values : int
        spread : float, optional
            Of bodies that are made alike: the stated widths that they differ by.
        """
        start = np.zeros(values)
        start[: len(nominal)] = nominal
        model = cls(start)
        groups = {name: group for group in knowledge.alike for name in group.bodies}
        common: dict[int, NDArray[np.int64]] = {}
        for known, own in zip(knowledge.bodies, rows, strict=True):
            shape = BodyShape(known)
            start[: len(nominal)] -= own @ shape.compute(np.zeros(10))[0]
            model._add_body(shape, own, groups.get(known.name), common, spread)
        return model

    @property
    def width(self) -> int:
        return len(self.unknowns)

    @property
    def bent(self) -> int:
        return self._join().columns.shape[2]

    def add(self, unknown: Unknown, direction: FloatArray) -> None:
        """Add an unknown that moves the values along a direction (T,) per deviation of its prior."""
        self._joined = None
        self._linear.append((len(self.unknowns), direction))
        self.unknowns.append(unknown)

    def list_widened(self) -> FloatArray:
        """Return how many stated widths the width of each unknown is, (p,)."""
        return np.array([one.widened for one in self.unknowns])

    def compute(self, unknowns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the values (T,) and their slope (T, p)."""
        return self._join().compute(self.start, unknowns)

    def _join(self) -> _Joined:
        self._joined = self._joined or _Joined.join(self._parts, self._linear, len(self.start), self.width)
        return self._joined

    def compute_hidden_masses(self, unknowns: FloatArray) -> list[tuple[str, float, FloatArray]]:
        """Return name, value and slope (p,) of masses that the basis knows only as parts of moments.

        Of bodies made alike the mean.
        """
        found: dict[str, list[tuple[float, FloatArray]]] = {}
        for part in self._parts:
            if np.any(part.rows[:, 0]) or not part.where.size:
                continue
            ten, its_slope = part.shape.compute(part.columns @ unknowns[part.where])
            slope = np.zeros(self.width)
            slope[part.where] = its_slope[0] @ part.columns
            name = part.shape.known.section.rpartition(".")[2].replace("body_", "")
            found.setdefault(f"m_{name}", []).append((float(ten[0]), slope))
        return [
            (name, float(np.mean([one for one, _ in own])), np.mean([one for _, one in own], axis=0))
            for name, own in found.items()
        ]

    def hold_moments(self, unknowns: FloatArray, keys: Collection[str]) -> list[FloatArray]:
        """Return by how many widths (p,) moments would be off, had the file them right and the mass alone wrong.

        Moments and products follow a body's mass: its shape is what a file is taken to know. Of each body whose mass
        has one of the keys.
        """
        found = []
        for part in self._parts:
            known = part.shape.known
            if known.mass.key in keys and part.shape.log_mass:
                held = np.zeros(10)
                held[_MOMENT] = part.shape.log_moment
                held[_PRODUCT] = part.shape.products
                grown = float(part.columns[0] @ unknowns[part.where])
                off = np.zeros(self.width)
                off[part.where] = np.linalg.pinv(part.columns) @ (-grown * held)
                found.append(off)
        return found

    def _add_body(
        self,
        shape: BodyShape,
        rows: FloatArray,
        group: LikeBodies | None,
        common: dict[int, NDArray[np.int64]],
        spread: float,
    ) -> None:
        # what the basis knows of, near a place where nothing vanishes by chance
        random = 0.1 * np.random.default_rng(0).standard_normal(10)
        seen = rows @ shape.compute(random)[1]
        numbers = [one for one in shape.list_directions() if np.any(seen @ one[1])]
        if not numbers:
            return
        directions = np.stack([direction for _, direction, _ in numbers], axis=1)
        widths = np.array([width for _, _, width in numbers])
        if group is None or id(group) not in common:
            where = self._reserve([one for one, _, _ in numbers], widths)
            if group is not None:
                common[id(group)] = where
        else:
            where = common[id(group)]
        columns = directions * widths
        if group is not None:
            apart = np.array([_find_deviation(shape, one, spread * group.width) for one, _, _ in numbers])
            own = self._reserve([one for one, _, _ in numbers], apart, shape.known.name, group.key, spread)
            where, columns = np.concatenate([where, own]), np.hstack([columns, directions * apart])
        self._joined = None
        self._parts.append(_Part(shape, rows, where, columns))

    def _reserve(
        self,
        numbers: Sequence[KnownNumber],
        widths: FloatArray,
        body: str = "",
        key: str = "",
        widened: float = 1.0,
    ) -> NDArray[np.int64]:
        first = len(self.unknowns)
        for one, width in zip(numbers, widths, strict=True):
            shown, factor = _SHOWN_UNITS.get("%" if one.log_width is not None else one.unit, (one.unit, 1.0))
            name = f"{one.name} of {body}" if body else one.name
            guessed = one.how == "guessed" and not key
            own = Unknown(
                name, key or one.key, factor * float(width), shown, widened=widened, guessed=guessed
            )
            self.unknowns.append(own)
        return np.arange(first, len(self.unknowns))


def _find_deviation(shape: BodyShape, number: KnownNumber, alike: float) -> float:
    """Return how much a number of one of the bodies that are made alike differs from the common one."""
    if number.kind == "product":
        return alike * float(np.mean(shape.moments))
    if number.log_width is not None:
        return _DEVIATIONS[number.kind] * alike
    # a width over an alike one is what a word says of both: what is well known in common is no less so of each
    size = {
        "center_of_mass": abs(number.value) or shape.known.size,
        "mass": number.width,
        "moment": number.width,
    }
    return _DEVIATIONS[number.kind] * alike * size[number.kind]
