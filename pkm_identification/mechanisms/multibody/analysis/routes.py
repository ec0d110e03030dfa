# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters of a machine by several routes, and whether those that are sure of themselves agree."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from pkm_identification.errors import NotConverged, SettingsError
from pkm_identification.estimation.identifiability.base_parameters import BaseParameters, base_parameters
from pkm_identification.estimation.identifiability.exact import (
    ExactBaseParameters,
    ModularRows,
    NotConfirmed,
    list_exact_base_parameters,
)
from pkm_identification.estimation.identifiability.null_space import (
    DoubleSpectrum,
    compute_double_spectrum,
    compute_spurious_coefficients,
)
from pkm_identification.estimation.identifiability.precise import (
    PreciseBaseParameters,
    list_precise_base_parameters,
)

from .exact_states import BITS, PRIMES
from .subject import Subject
from .symbolic.base import SymbolicBaseParameters

DOUBLE, PRECISE, SYMBOLIC, EXACT = "double", "precise", "symbolic", "exact"
ROUTES = (DOUBLE, PRECISE, SYMBOLIC, EXACT)
ALL = "all"
Base = TypeVar("Base")


@dataclass(frozen=True)
class Route(Generic[Base]):
    """What one route finds.

    Attributes
    ----------
    base : BaseParameters, PreciseBaseParameters, SymbolicBaseParameters or ExactBaseParameters
    rank : int
        How many base parameters there are; of the symbolic route never below the true number.
    sure : bool
        Whether the ridge is clear, in double precision by both forms; the exact route always is, since two primes
        agree, and the symbolic one of what it gives up.
    """

    base: Base
    rank: int
    sure: bool


@dataclass(frozen=True)
class DoubleRoute(Route[BaseParameters]):
    """Double precision: QR of unit columns, and Gautier's SVD form (`spectrum`) of the columns as they are."""

    spectrum: DoubleSpectrum


@dataclass(frozen=True)
class ForcedRank:
    """What double precision makes of the coefficients when it is given the rank.

    Attributes
    ----------
    rank : int
    error : float
        Largest error of a coefficient.
    spurious : int
        How many are not zero though they should be.
    zeros : int
        How many should be.
    """

    rank: int
    error: float
    spurious: int
    zeros: int


@dataclass(frozen=True)
class Routes:
    """Base parameters by the routes that were run; None for one that was not.

    Attributes
    ----------
    subject : Subject
    double : DoubleRoute or None
    precise, symbolic, exact : Route or None
    why_not_exact : str
        Why the exact one was not run though all were asked for.
    """

    subject: Subject
    double: DoubleRoute | None = None
    precise: Route[PreciseBaseParameters] | None = None
    symbolic: Route[SymbolicBaseParameters] | None = None
    exact: Route[ExactBaseParameters] | None = None
    why_not_exact: str = ""

    @property
    def disagreement(self) -> str:
        """One line if two routes that are sure of themselves disagree; else empty.

        The symbolic one is sure that there are no more base parameters than it finds.
        """
        ranks = self._sure_ranks
        if self.symbolic is not None and any(rank > self.symbolic.rank for rank in ranks.values()):
            ranks = {**ranks, SYMBOLIC: self.symbolic.rank}
        if len(set(ranks.values())) < 2:
            return ""
        return "routes disagree: " + ", ".join(f"{name} {rank}" for name, rank in ranks.items())

    @property
    def _sure_ranks(self) -> dict[str, int]:
        counted = ((DOUBLE, self.double), (PRECISE, self.precise), (EXACT, self.exact))
        return {name: route.rank for name, route in counted if route is not None and route.sure}

    @property
    def upper_bound(self) -> bool | None:
        """Whether the rules leave more than there is; None if no other route that is sure of itself was run."""
        if self.symbolic is None or not self._sure_ranks:
            return None
        return self.symbolic.rank > min(self._sure_ranks.values())

    @property
    def best(self) -> Route[Any]:
        """The route whose expressions count: the one with the least rounding that was run."""
        best = self.exact or self.precise or self.symbolic or self.double
        assert best is not None
        return best

    @cached_property
    def forced(self) -> ForcedRank | None:
        """Gautier's form in double precision with the precise rank forced, next to the precise coefficients."""
        if self.double is None or self.precise is None or not self.precise.sure:
            return None
        true = self.precise.base
        eliminated = self.double.spectrum.eliminate(true.elimination.given_up.tolist(), true.kept)
        if not np.array_equal(eliminated.given_up, true.elimination.given_up):
            return None
        coefficients, zero = true.elimination.coefficients, true.coefficient_error
        return ForcedRank(
            true.kept,
            float(np.abs(coefficients - eliminated.coefficients).max(initial=0.0)),
            compute_spurious_coefficients(eliminated.coefficients, coefficients, zero),
            int(np.count_nonzero(np.abs(coefficients) <= zero)),
        )


def find_base_parameters(
    subject: Subject,
    route: str = ALL,
    digits: Collection[int] = (30, 60),
    wanted_out: Collection[str] = (),
    seed: int = 0,
) -> Routes:
    """Base parameters of a machine's rigid bodies.

    Parameters
    ----------
    subject : Subject
    route : {'double', 'precise', 'symbolic', 'exact', 'all'}
        `all` runs what applies.
    digits : collection of int
        Two settings of the precise route, and if wanted the most digits to go to.
    wanted_out : collection of str
        Parameters to eliminate first, as far as they can be.
    seed : int
        Of random states, where the description states no motion.

    Returns
    -------
    Routes

    Raises
    ------
    SettingsError
        If there is no such route or parameter, or the route does not apply.
    NotConverged
        If the exact route is asked for and no two primes agree.
    """
    if route not in (*ROUTES, ALL):
        raise SettingsError(f"route '{route}': must be one of {', '.join((*ROUTES, ALL))}")
    unknown = [name for name in wanted_out if name not in subject.names]
    if unknown:
        raise SettingsError(f"parameter '{unknown[0]}' is none of {subject.name}: {', '.join(subject.names)}")
    double = precise = symbolic = exact = None
    why_not_exact = ""
    if route in (DOUBLE, ALL):
        columns = subject.columns(seed)
        try:
            keep = subject.kept if not wanted_out else [n for n in subject.names if n not in wanted_out]
            base, spectrum = (
                base_parameters(columns, subject.names, keep=keep),
                compute_double_spectrum(columns),
            )
            double = DoubleRoute(base, base.count, base.clear and base.count == spectrum.rank, spectrum)
        except ValueError as error:
            raise SettingsError(f"{subject.name}: the stated motion does not do: {error}") from None
    out = wanted_out
    if double is not None and not out:
        # the same parameters given up, so that expressions can be compared
        out = [subject.names[k] for k in (*double.base.grouped, *double.base.invisible)]
    if route in (PRECISE, ALL):
        try:
            found = list_precise_base_parameters(
                lambda count: subject.precise_columns(count, seed), subject.names, digits, out
            )
        except SettingsError:
            raise
        except ValueError as error:
            raise SettingsError(f"{subject.name}: the stated motion does not do: {error}") from None
        precise = Route(found, found.kept, found.decided)
    if route in (SYMBOLIC, ALL):
        rules = subject.transfers(wanted_out, seed)
        symbolic = Route(rules, rules.rank, True)
    if route in (EXACT, ALL):
        try:
            solved = _solve_exact(subject, out, seed)
            exact = Route(solved, solved.rank, True)
        except (SettingsError, NotConfirmed) as error:
            if route == EXACT and isinstance(error, SettingsError):
                raise
            if route == EXACT:
                raise NotConverged(f"{subject.name}: route 'exact': {error}") from None
            why_not_exact = str(error)
    return Routes(subject, double, precise, symbolic, exact, why_not_exact)


def _solve_exact(subject: Subject, wanted_out: Collection[str], seed: int) -> ExactBaseParameters:
    """Without rounding, with as few bits as fractions can be read from.

    Raises
    ------
    NotConfirmed
        If no two primes agree.
    """

    def found(bits: int, primes: Collection[int]) -> ExactBaseParameters:
        def columns(prime: int) -> ModularRows | None:
            return subject.modular_columns(prime, seed, bits)

        return list_exact_base_parameters(columns, subject.names, primes, wanted_out)

    few, many = BITS
    try:
        # what three primes do not show with few bits, four more do not either
        return found(few, PRIMES[:3])
    except NotConfirmed:
        return found(many, PRIMES)
