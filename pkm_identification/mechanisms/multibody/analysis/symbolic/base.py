# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters by the rules of inertia transfer: each step with the parameter it gives up, and sums in fractions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.estimation.identifiability.null_space import Eliminated

from ....rigid_bodies import BODY_PARAMETERS
from ...mechanism import Mechanism
from ...numbers.arithmetic import Multiprecision
from ...numbers.exact import Exact
from ...numbers.rational import RATIONAL, NotRational
from .elimination import Elimination
from .facts import Facts
from .geometry import Geometry, geometries
from .multipoles import DIPOLE, MONOPOLE
from .rules import Step, steps

_DIGITS = 60
_TEN = len(BODY_PARAMETERS)
_MASS, _FIRST, _MOMENTS, _PRODUCTS = ((0,), (1, 2, 3), (4, 5, 6), (7, 8, 9))
# What a step of a kind gives up first of its giver.
_ORDER = {MONOPOLE: (_MASS, _MOMENTS, _PRODUCTS, _FIRST), DIPOLE: (_FIRST, _MOMENTS, _PRODUCTS, _MASS)}
_OTHERS = (_MOMENTS, _PRODUCTS, _FIRST, _MASS)


@dataclass(frozen=True)
class Applied:
    """A step that was made.

    Attributes
    ----------
    step : Step
    parameter : int
        What it gives up: a column of the bodies, ten each.
    """

    step: Step
    parameter: int

    @property
    def vanishes(self) -> bool:
        """Whether the parameter has no effect; else another body has it, or the ground lends it."""
        return self.step.taker is None


@dataclass(frozen=True)
class SymbolicBaseParameters:
    """What the rules find. The count is never below the true one, and above it where no rule knows a fact.

    Attributes
    ----------
    names : tuple of str, length P
    vanishing : tuple of int
        Parameters given up since they have no effect.
    transferred : tuple of int
        Parameters given up since others have the same effect.
    elimination : Eliminated
        With fractions, or mpmath numbers where a number of the description is none.
    applied : tuple of Applied
        The steps, of the bodies' own ten parameters each.
    parameters : tuple of str
        Names of these, by body.
    columns : tuple of int or None
        Those of the named parameters among the bodies'; None where bodies are known to be alike.
    geometry, named : Geometry
        Points and directions of the steps, in numbers and in named constants.
    how : str
        In which numbers the facts were decided.
    """

    names: tuple[str, ...]
    vanishing: tuple[int, ...]
    transferred: tuple[int, ...]
    elimination: Eliminated
    applied: tuple[Applied, ...]
    parameters: tuple[str, ...]
    columns: tuple[int, ...] | None
    geometry: Geometry
    named: Geometry
    how: str

    @property
    def rank(self) -> int:
        """How many base parameters are left."""
        return len(self.elimination.kept)

    def extend_with(self, more: tuple[str, ...]) -> SymbolicBaseParameters:
        """Return the same with parameters after these that depend on no other."""
        if not more:
            return self
        own, count = self.elimination, len(self.names)
        nothing = np.full((len(more), len(own.given_up)), Fraction(0), dtype=object)
        return replace(
            self,
            names=(*self.names, *more),
            elimination=Eliminated(
                np.concatenate([own.kept, np.arange(count, count + len(more), dtype=np.int64)]),
                own.given_up,
                np.concatenate([own.coefficients, nothing]),
            ),
        )

    @property
    def invisible(self) -> NDArray[np.int64]:
        """Parameters without effect."""
        return np.array(self.vanishing, dtype=np.int64)


def list_symbolic_base_parameters(
    mechanism: Mechanism,
    names: tuple[str, ...],
    columns: NDArray[np.int64],
    mapping: NDArray[np.int64],
    wanted_out: Collection[str] = (),
    wanted_in: Collection[str] = (),
    seed: int = 0,
) -> SymbolicBaseParameters:
    """Base parameters by the rules.

    Parameters
    ----------
    mechanism : Mechanism
        In float64.
    names : tuple of str, length P
    columns : ndarray of int64, shape (K,)
        Those of the bodies' parameters, ten each, that the mechanism has.
    mapping : ndarray, shape (K, P)
        How the named parameters build these up; the identity unless bodies are known to be alike.
    wanted_out, wanted_in : collection of str
        Parameters to give up first, and last.
    seed : int
        Of the states in which facts are decided.

    Raises
    ------
    MotionRefused
        If there are no such states.
    """
    plain, named = geometries(mechanism.description)
    facts = Facts.of(mechanism, plain, seed)
    own = len(names) == len(columns)
    bodies = [body.name for body in mechanism.description.bodies]
    full = tuple(f"{BODY_PARAMETERS[k % _TEN]}_{bodies[k // _TEN]}" for k in range(_TEN * len(bodies)))
    parameters = list(full)
    if own:
        for k, column in enumerate(columns):
            parameters[column] = names[k]
    present = set(columns.tolist())
    out = {column for k, column in enumerate(columns) if own and names[k] in wanted_out}
    every = list(steps(mechanism.description, facts))
    number, is_zero = _choose_arithmetic(every, plain)
    elimination = Elimination(is_zero)
    applied = []
    for step in every:
        vector = {
            column: number(value) for column, value in null_vector(step, plain).items() if column in present
        }
        pivot = elimination.add(vector, _rank_preference(step, out))
        if pivot is not None:
            applied.append(Applied(step, pivot))
    if own:
        eliminated = _reduce_rows(elimination, columns)
        gone = {one.parameter for one in applied if one.vanishes}
        vanishing = [k for k, column in enumerate(columns) if column in gone]
    else:
        late = np.array([(name in wanted_out) - (name in wanted_in) for name in names])
        eliminated, vanishing = _reduce_by_symmetry(elimination, columns, mapping, late, is_zero)
    transferred = [k for k in eliminated.given_up.tolist() if k not in vanishing]
    return SymbolicBaseParameters(
        names,
        tuple(vanishing),
        tuple(transferred),
        eliminated,
        tuple(applied),
        tuple(parameters),
        tuple(columns.tolist()) if own else None,
        plain,
        named,
        facts.how,
    )


def null_vector(step: Step, geometry: Geometry) -> dict[int, Exact]:
    """Return a step's null vector: the bodies' columns, ten each, that it has; the ground has none."""
    entries: dict[int, Exact] = {}
    for body, sign, ten in step.parts(geometry):
        for k, value in enumerate(ten):
            if body and value != 0:
                entries[_TEN * (body - 1) + k] = sign * value
    return entries


def _rank_preference(step: Step, out: Collection[int]) -> Callable[[int], tuple[bool, bool, int]]:
    """Return what is given up first: what is wanted out, what is the giver's, by kind."""
    groups = _ORDER.get(step.kind, _OTHERS)

    def rank(column: int) -> tuple[bool, bool, int]:
        group = next(k for k, members in enumerate(groups) if column % _TEN in members)
        return column not in out, column // _TEN != step.giver - 1, group

    return rank


def _choose_arithmetic(
    every: list[Step], geometry: Geometry
) -> tuple[Callable[[Exact], Any], Callable[[Any], bool]]:
    """Fractions where all numbers are; else many digits."""
    try:
        for step in every:
            for value in null_vector(step, geometry).values():
                RATIONAL.number(value)
    except NotRational:
        arithmetic = Multiprecision(_DIGITS)
        least = arithmetic.context.mpf(10) ** (-_DIGITS // 2)
        return arithmetic.number, lambda value: abs(value) <= least
    return RATIONAL.number, lambda value: value == 0


def _reduce_rows(elimination: Elimination, columns: NDArray[np.int64]) -> Eliminated:
    index = {int(column): k for k, column in enumerate(columns)}
    given_up = sorted(index[pivot] for pivot in elimination.rows)
    kept = [k for k in range(len(columns)) if k not in set(given_up)]
    return _eliminate(
        kept,
        given_up,
        {
            (index[column], index[pivot]): -value
            for pivot, row in elimination.rows.items()
            for column, value in row.items()
            if column != pivot
        },
    )


def _eliminate(kept: list[int], given_up: list[int], values: Mapping[tuple[int, int], Any]) -> Eliminated:
    coefficients = np.full((len(kept), len(given_up)), Fraction(0), dtype=object)
    rows, columns = ({k: n for n, k in enumerate(some)} for some in (kept, given_up))
    for (k, j), value in values.items():
        coefficients[rows[k], columns[j]] = value
    return Eliminated(np.array(kept, dtype=np.int64), np.array(given_up, dtype=np.int64), coefficients)


def _reduce_by_symmetry(
    elimination: Elimination,
    columns: NDArray[np.int64],
    mapping: NDArray[np.int64],
    late: NDArray[np.int64],
    is_zero: Callable[[Any], bool],
) -> tuple[Eliminated, list[int]]:
    """Return what is left of fewer parameters, which build up those of the bodies, and which of them do nothing.

    Two sets of bodies' parameters do the same if they differ by null vectors: each parameter is taken modulo these, and
    those that depend on the ones before them are given up.
    """
    kept: list[int] = []
    given_up: list[int] = []
    vanishing: list[int] = []
    values: dict[tuple[int, int], Any] = {}
    # rows of what is left of a parameter, and in columns of their own, below zero, what it is made of
    echelon = Elimination(is_zero)
    for j in sorted(range(mapping.shape[1]), key=lambda j: (late[j], j)):
        effect: dict[int, Any] = {
            int(columns[k]): Fraction(int(mapping[k, j])) for k in np.flatnonzero(mapping[:, j])
        }
        for pivot in [column for column in effect if column in elimination.rows]:
            factor = effect[pivot]
            for column, value in elimination.rows[pivot].items():
                effect[column] = effect.get(column, Fraction(0)) - factor * value
        effect = {column: value for column, value in effect.items() if not is_zero(value)}
        if not effect:
            vanishing.append(j)
            given_up.append(j)
            continue
        vector = {**effect, -1 - j: Fraction(1)}
        pivot_or_none = echelon.add(vector, lambda column: column < 0)
        assert pivot_or_none is not None
        if pivot_or_none >= 0:
            kept.append(j)
            continue
        row = echelon.rows.pop(pivot_or_none)
        # of columns below zero alone: the parameter itself, less what the others make of it
        whole = row[-1 - j]
        given_up.append(j)
        values.update({(-1 - k, j): -value / whole for k, value in row.items() if k != -1 - j})
    return _eliminate(sorted(kept), sorted(given_up), values), vanishing
