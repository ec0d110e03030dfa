# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters as text for a person and as a document for programs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath

from pkm_identification.estimation.identifiability.contributions import ParameterContributions
from pkm_identification.estimation.identifiability.homogenized import Homogenized
from pkm_identification.estimation.identifiability.precise import PreciseBaseParameters
from pkm_identification.identification.procedures.pruning import Reduced
from pkm_identification.mechanisms.multibody.analysis.routes import (
    DoubleRoute,
    Route,
    Routes,
)
from pkm_identification.mechanisms.multibody.analysis.symbolic.base import SymbolicBaseParameters
from pkm_identification.numerics.finite import finite_or_none

from ..listing import write_term
from .transfers import (
    WrittenOut,
    build_transfers_document,
    format_symbolic_expressions,
    format_symbolic_lines,
    step_lines,
)

_LONGEST_FACTOR = 30
_SHOWN = 12
_SHOWN_VALUES = 4


@dataclass(frozen=True)
class WithoutUnits:
    """What `--homogenized` asks for.

    Attributes
    ----------
    regressor : Homogenized
    raw_condition : float
        Of the columns as they are, in SI units.
    contributions : ParameterContributions or None
        None where the description's values give no forces.
    """

    regressor: Homogenized
    raw_condition: float
    contributions: ParameterContributions | None


def build_base_parameters_document(
    routes: Routes, homogenized: WithoutUnits | None = None, written: WrittenOut | None = None
) -> dict[str, Any]:
    """Return what `pkm base-parameters --json` writes; a route that was not run is absent."""
    subject = routes.subject
    document: dict[str, Any] = {
        "schema": 1,
        "machine": subject.name,
        "parameters": len(subject.names),
        "states": "stated motion" if subject.stated_motion else "random around home",
        **_list_without_effect(routes),
        "base": routes.best.rank,
        "sure": routes.best.sure,
        "routes": {},
    }
    if routes.double is not None:
        double = routes.double
        document["routes"]["double"] = {
            "rank": double.rank,
            "numpy_rank": double.spectrum.rank,
            "clear": double.sure,
            "ridge": finite_or_none(double.base.ridge),
            "singular_values": [float(value) for value in double.spectrum.singular_values],
        }
    if routes.forced is not None:
        document["routes"]["double"]["forced"] = {
            "rank": routes.forced.rank,
            "error": routes.forced.error,
            "spurious": routes.forced.spurious,
            "zeros": routes.forced.zeros,
        }
    if routes.precise is not None:
        precise = routes.precise.base
        document["routes"]["precise"] = {
            "kept": precise.kept,
            "null": precise.null,
            "undecided": precise.undecided,
            "digits": list(precise.digits),
            "singular_values": [mpmath.nstr(value, _SHOWN) for value in precise.singular_values],
        }
    if routes.symbolic is not None:
        symbolic = routes.symbolic.base
        document["routes"]["symbolic"] = {
            "base": symbolic.rank,
            "vanish": len(symbolic.vanishing),
            "transfer": len(symbolic.transferred),
        }
    if routes.exact is not None:
        document["routes"]["exact"] = {"rank": routes.exact.rank, "primes": list(routes.exact.base.primes)}
    if homogenized is not None:
        document["homogenized"] = _format_homogenized(routes, homogenized)
    document["expressions"] = expressions(routes.best, written)
    return document


def _list_without_effect(routes: Routes) -> dict[str, Any]:
    """Return parameters that vanish, by the rules where they were asked, with what is transferred."""
    if routes.symbolic is not None:
        return build_transfers_document(routes)
    return {"vanishing": [routes.subject.names[k] for k in routes.best.base.invisible]}


def expressions(route: Route[Any], written: WrittenOut | None = None) -> list[dict[str, Any]]:
    """Every base parameter as a sum: its name is that of the parameter that stands for it."""
    if isinstance(route.base, SymbolicBaseParameters):
        return format_symbolic_expressions(route.base, written or WrittenOut())
    if isinstance(route, DoubleRoute):
        base = route.base
        kept, given_up, coefficients, zero = base.independent, base.grouped, base.coefficients, 0.0
    else:
        elimination = route.base.elimination
        kept, given_up, coefficients = elimination.kept, elimination.given_up, elimination.coefficients
        zero = route.base.coefficient_error if isinstance(route.base, PreciseBaseParameters) else 0.0
    names = route.base.names
    sums = []
    for k, row in zip(kept, coefficients, strict=True):
        terms = [{"parameter": names[k], "factor": "1", "value": 1.0}]
        terms += [
            {"parameter": names[j], "factor": _factor(value, zero), "value": float(value)}
            for j, value in zip(given_up, row, strict=True)
            if abs(value) > zero
        ]
        sums.append({"name": names[k], "terms": terms})
    return sums


def _factor(value: Any, error: float) -> str:
    """A coefficient with the digits it has."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, float):
        # NumPy's own floats name their type
        return repr(float(value))
    digits = _LONGEST_FACTOR if error == 0 else min(_LONGEST_FACTOR, int(-math.log10(error)))
    return mpmath.nstr(value, max(digits, 1))


def _format_homogenized(routes: Routes, given: WithoutUnits) -> dict[str, Any]:
    unitless, contributions = given.regressor, given.contributions
    document: dict[str, Any] = {
        "groups": [group.kind.value for group in unitless.groups],
        "ranks": [group.rank for group in unitless.groups],
        "rank": unitless.rank,
        "condition": unitless.condition,
        "raw_condition": given.raw_condition,
        "clear": unitless.clear,
        "singular_values": [float(value) for value in unitless.singular_values],
    }
    if contributions is not None:
        names = routes.subject.names
        document["contributions"] = [
            {"parameter": name, "size": float(size), "share": float(share)}
            for name, size, share in zip(names, contributions.size, contributions.share, strict=True)
        ]
        document["without_influence"] = [names[k] for k in contributions.without_influence]
        document["group_contributions"] = {
            kind.value: value for kind, value in contributions.of_groups.items()
        }
    return document


def format_base_parameters_text(
    routes: Routes, homogenized: WithoutUnits | None = None, written: WrittenOut | None = None
) -> str:
    """Return the same for a person."""
    subject = routes.subject
    best = routes.best
    where = "the motion of its description" if subject.stated_motion else "random states around home"
    doubt = "" if best.sure else ", in doubt"
    lines = [
        f"{subject.name}: {len(subject.names)} parameters, {best.rank} base parameters{doubt} ({where})",
        "",
    ]
    if routes.double is not None:
        lines += _format_double_lines(routes.double)
    if routes.forced is not None:
        forced = routes.forced
        lines.append(
            f"         with rank {forced.rank} forced: coefficients wrong by up to {forced.error:.1e}, "
            f"{forced.spurious} of {forced.zeros} that should be zero are not"
        )
    if routes.precise is not None:
        lines += _format_precise_lines(routes.precise.base)
    written = written or WrittenOut()
    if routes.symbolic is not None:
        lines += format_symbolic_lines(routes, written)
    if routes.exact is not None:
        primes = " and ".join(str(prime) for prime in routes.exact.base.primes)
        lines.append(f"exact    rank {routes.exact.rank}, without rounding, modulo powers of {primes}")
    elif routes.why_not_exact:
        lines.append(f"exact    none: {routes.why_not_exact}")
    if homogenized is not None:
        unitless = homogenized.regressor
        groups = ", ".join(f"{group.kind.value} {group.rank}" for group in unitless.groups)
        unclear = "" if unitless.clear else ", no clear ridge"
        lines += [
            f"homogenized: rank {unitless.rank}, condition {unitless.condition:.4g}{unclear}; "
            f"ranks of the groups: {groups}",
            f"             (of the columns in SI units {homogenized.raw_condition:.4g}; a different one in other "
            "units)",
        ]
    invisible = ", ".join(subject.names[k] for k in best.base.invisible)
    lines.append("")
    if not isinstance(best.base, SymbolicBaseParameters):
        lines.append(f"without effect: {invisible or 'none'}")
    if routes.symbolic is not None:
        lines += step_lines(routes)
    lines.append("base parameters:")
    lines += [f"  {_sum(expression)}" for expression in expressions(best, written)]
    return "\n".join(lines)


def _format_double_lines(route: DoubleRoute) -> list[str]:
    same = route.spectrum.rank == route.rank
    ridge = f"ridge {route.base.ridge:.1e}" if math.isfinite(route.base.ridge) else "nothing given up"
    verdict = "clear" if route.sure else "NO CLEAR RIDGE: the rank may be wrong, ask the precise route"
    numpy = "" if same else f", by NumPy's tolerance {route.spectrum.rank}"
    return [f"double   rank {route.rank}{numpy}, {ridge}: {verdict}"]


def _format_precise_lines(base: PreciseBaseParameters) -> list[str]:
    edge = base.singular_values[max(base.kept - 1, 0) : base.kept + 1]
    text = " | ".join(mpmath.nstr(value, _SHOWN_VALUES) for value in edge)
    return [
        f"precise  {base.digits[0]} and {base.digits[1]} digits: {base.kept} kept, {base.null} null, "
        f"{base.undecided} undecided; singular values at the ridge {text}"
    ]


def _sum(expression: dict[str, Any]) -> str:
    text = expression["name"]
    for term in expression["terms"][1:]:
        if "decimal" in term and any(letter.isalpha() for letter in term["factor"]):
            # a formula
            text += f" + ({term['factor']}) {term['parameter']}"
            continue
        text += write_term(term["value"], term["parameter"], _SHOWN)
    return text


def build_reduced_document(reduced: Reduced) -> dict[str, Any]:
    """Return what `pkm identifiability --drop-below --json` adds under `reduced`."""
    return {
        "parameters": reduced.values,
        "dropped": reduced.small,
        "given_to_others": list(reduced.given),
        "below": reduced.below,
        "bound": reduced.bound,
        "error": reduced.error,
        "held_out": None
        if reduced.held_error is None
        else {"bound": reduced.held_bound, "error": reduced.held_error},
        "elsewhere": [
            {"parameter": name, "motion": motion, "size": size} for name, motion, size in reduced.elsewhere
        ],
    }


def reduced_text(reduced: Reduced) -> str:
    """Return the same for a person."""
    lines = [
        f"reduced to {len(reduced.values)} parameters: forces change by {100 * reduced.error:.2g} % of their norm, "
        f"proven below {100 * reduced.bound:.2g} %",
        f"  taken for zero: {', '.join(reduced.small) or 'none'}",
        f"  given to others: {', '.join(reduced.given) or 'none'}",
    ]
    if reduced.held_error is not None and reduced.held_bound is not None:
        lines.append(
            f"  held-out end of the motions: {100 * reduced.held_error:.2g} %, bound {100 * reduced.held_bound:.2g} %"
        )
    lines += [
        f"  {name} would be {100 * size:.2g} % of the forces in another motion: {motion}"
        for name, motion, size in reduced.elsewhere
        if size > reduced.below
    ]
    return "\n".join(lines)
