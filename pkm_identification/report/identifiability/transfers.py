# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Inertia transfers as text, JSON and LaTeX: steps as Iriarte et al. (2017) list them, base parameters as formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath

from pkm_identification.mechanisms.multibody.analysis.routes import Routes
from pkm_identification.mechanisms.multibody.analysis.subject import Subject
from pkm_identification.mechanisms.multibody.analysis.symbolic.base import Applied, SymbolicBaseParameters
from pkm_identification.mechanisms.multibody.analysis.symbolic.formulas import (
    NEEDS_SYMPY,
    Formulas,
    formulas,
    has_sympy,
)
from pkm_identification.mechanisms.multibody.analysis.symbolic.geometry import body_names
from pkm_identification.mechanisms.multibody.analysis.symbolic.graph import GROUND_BODY
from pkm_identification.mechanisms.multibody.numbers.exact import Constant, Exact, Expression
from pkm_identification.mechanisms.multibody.parameters import build_rigid_basis


@dataclass(frozen=True)
class WrittenOut:
    """Coefficients of the symbolic route as formulas.

    Attributes
    ----------
    coefficients : dict
        SymPy's formulas by kept and given up parameter; empty where numbers are all there is.
    made : Formulas or None
        What they were made with.
    digits : int
        With which they are evaluated.
    """

    coefficients: dict[tuple[int, int], Any] = field(default_factory=dict)
    made: Formulas | None = None
    digits: int = 60

    @classmethod
    def of(cls, routes: Routes, digits: int) -> WrittenOut:
        """Of the symbolic route of a machine whose description names constants; without SymPy there are none."""
        if routes.symbolic is None or not has_sympy():
            return cls(digits=digits)
        base, formula_cache = routes.symbolic.base, Formulas()
        if base.columns is None or not has_constants(routes.subject):
            return cls({}, formula_cache, digits)
        return cls(formulas(base, formula_cache), formula_cache, digits)


def has_constants(subject: Subject) -> bool:
    """Return whether a description names constants."""
    return bool(subject.mechanism.description.document.get("constants"))


def format_symbolic_lines(routes: Routes, written: WrittenOut) -> list[str]:
    """Return what the symbolic route found, in a line, and what is missing of it."""
    assert routes.symbolic is not None
    base = routes.symbolic.base
    lines = [
        f"symbolic {len(base.vanishing)} vanish, {len(base.transferred)} transferred: {base.rank} base parameters; "
        f"facts decided {base.how}"
    ]
    if routes.upper_bound:
        lines.append(
            "         an upper bound: the rules do not know all that makes parameters of this machine depend on others"
        )
    if has_constants(routes.subject) and written.made is None:
        lines.append(f"         numbers for constants: {NEEDS_SYMPY}")
    return lines


def step_lines(routes: Routes) -> list[str]:
    """Every step: joint, condition, multipole, what it gives up."""
    assert routes.symbolic is not None
    base, bodies = routes.symbolic.base, body_names(routes.subject.mechanism.description)
    lines = ["vanishing:"]
    groups: dict[tuple[int, int, str], list[str]] = {}
    for one in base.applied:
        if one.vanishes:
            key = one.step.giver, one.step.condition, _format_multipole(one, base)
            groups.setdefault(key, []).append(base.parameters[one.parameter])
    for (giver, condition, multipole), names in groups.items():
        lines.append(f"  {bodies[giver]}: condition {condition}, {multipole}: {', '.join(names)}")
    lines.append("transferred:")
    for one in _sort_transfers(base):
        lines.append(
            f"  {_describe_giver(one, bodies)}: condition {one.step.condition}, {_format_multipole(one, base)} of "
            f"{bodies[one.step.giver]} {_describe_receiver(one, bodies)}: {base.parameters[one.parameter]}"
        )
    if base.columns is None:
        names = [base.names[k] for k in base.transferred]
        lines.append(
            f"  of equal or round bodies, by these steps: {', '.join(names) or 'none'} depend on the others"
        )
    return lines


def build_transfers_document(routes: Routes) -> dict[str, Any]:
    """Return the keys `vanishing` and `transferred`."""
    assert routes.symbolic is not None
    base, bodies = routes.symbolic.base, body_names(routes.subject.mechanism.description)
    transfers = [
        {
            "joint": _describe_giver(one, bodies),
            "condition": one.step.condition,
            "parameter": base.parameters[one.parameter],
            "multipole": one.step.kind,
            "from": bodies[one.step.giver],
            "to": bodies[one.step.taker or GROUND_BODY],
        }
        for one in _sort_transfers(base)
    ]
    if base.columns is None:
        # of each body by itself the steps are others' parameters
        transfers = [{"joint": "", "condition": 0, "parameter": base.names[k]} for k in base.transferred]
    return {"vanishing": [base.names[k] for k in base.vanishing], "transferred": transfers}


def format_symbolic_expressions(base: SymbolicBaseParameters, written: WrittenOut) -> list[dict[str, Any]]:
    """Every base parameter as a sum, its coefficients as formulas and evaluated to the digits asked for."""
    elimination, names = base.elimination, base.names
    sums = []
    for k, row in zip(elimination.kept.tolist(), elimination.coefficients, strict=True):
        terms: list[dict[str, Any]] = [{"parameter": names[k], "factor": "1", "value": 1.0, "decimal": "1"}]
        for j, value in zip(elimination.given_up.tolist(), row, strict=True):
            if value == 0:
                continue
            formula = written.coefficients.get((k, j))
            terms.append(
                {
                    "parameter": names[j],
                    "factor": str(formula) if formula is not None else _number(value, written.digits),
                    "value": float(value),
                    "decimal": _format_decimal(value, written.digits),
                }
            )
        sums.append({"name": names[k], "terms": terms})
    return sums


def format_latex_text(routes: Routes, written: WrittenOut) -> str:
    """Return the base parameters as an `align*` environment (amsmath)."""
    assert routes.symbolic is not None
    assert written.made is not None
    base, subject, formula_cache = routes.symbolic.base, routes.subject, written.made
    names = _list_latex_names(subject)
    lines = [
        f"% {subject.name}: {base.rank} base parameters of {len(base.names)}; needs amsmath",
        r"\begin{align*}",
    ]
    rows: list[str] = []
    elimination = base.elimination
    for k, row in zip(elimination.kept.tolist(), elimination.coefficients, strict=True):
        text = names[k]
        for j, value in zip(elimination.given_up.tolist(), row, strict=True):
            if value == 0:
                continue
            formula = written.coefficients.get((k, j), None)
            size = formula_cache.same(value) if formula is None and isinstance(value, Fraction) else formula
            sign = " - " if value < 0 else " + "
            factor = (
                formula_cache.latex(-size if value < 0 else size)
                if size is not None
                else _number(abs(value), 15)
            )
            if size is not None and getattr(size, "is_Add", False):
                factor = rf"\left({factor}\right)"
            text += sign + ("" if factor == "1" else factor + r"\, ") + names[j]
        rows.append(rf"  \beta_{{{len(rows) + 1}}} &= {text}")
    return "\n".join([*lines, " \\\\\n".join(rows), r"\end{align*}", ""])


def _list_latex_names(subject: Subject) -> list[str]:
    def plain(text: str) -> str:
        return r"\mathrm{" + text.replace("_", r"\_") + "}"

    if subject.machine is not None:
        return [plain(name) for name in subject.names]
    return [
        f"{plain(entry.symbol)}_{{{plain(entry.body)}}}" for entry in build_rigid_basis(subject.mechanism)
    ]


def _sort_transfers(base: SymbolicBaseParameters) -> list[Applied]:
    """Masses to bodies that give on, what the ground lends, the other masses and hinges, complete tensors."""
    steps = [one for one in base.applied if not one.vanishes]
    gives = {one.step.giver for one in steps if one.step.condition == 1 and one.step.taker != GROUND_BODY}

    def place(one: Applied) -> int:
        if one.step.condition in (4, 6):
            return 3
        if one.step.taker == GROUND_BODY:
            return 1
        return 0 if one.step.taker in gives else 2

    return sorted(steps, key=place)


def _describe_giver(one: Applied, bodies: Sequence[str]) -> str:
    taker = one.step.taker or GROUND_BODY
    return one.step.joint or f"{bodies[one.step.giver]} and {bodies[taker]}"


def _describe_receiver(one: Applied, bodies: Sequence[str]) -> str:
    if one.step.taker == GROUND_BODY:
        return "lent by the ground"
    return f"to {bodies[one.step.taker or GROUND_BODY]}"


def _format_multipole(one: Applied, base: SymbolicBaseParameters) -> str:
    text = one.step.kind
    if one.step.along is not None:
        text += f" along {_format_vector(one.step.along(base.named))}"
    if one.step.place is not None:
        text += f" at {_format_vector(one.step.place(base.named))}"
    return text


def _format_vector(values: Sequence[Exact]) -> str:
    return "(" + ", ".join(_format_exact(value) for value in values) + ")"


def _format_exact(value: Exact) -> str:
    """Return an exact number as text."""
    if isinstance(value, Constant):
        return value.name
    if not isinstance(value, Expression):
        return _number(value, 12)
    parts = [_format_exact(argument) for argument in value.arguments]
    if value.operation in "+-*/" and len(parts) == 2:
        return f"({parts[0]}{value.operation}{parts[1]})"
    return f"{value.operation}({', '.join(parts)})" if parts else value.operation


def _number(value: Any, digits: int) -> str:
    return str(value) if isinstance(value, Fraction) else _format_decimal(value, digits)


def _format_decimal(value: Any, digits: int) -> str:
    context = mpmath.MPContext()
    context.dps = digits + 5
    number = (
        context.mpf(value.numerator) / value.denominator
        if isinstance(value, Fraction)
        else context.mpf(value)
    )
    return context.nstr(number, digits)
