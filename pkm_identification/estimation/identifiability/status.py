# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the data can show: which parameters alone, which only in a combination, which not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

IDENTIFIABLE, COMBINATION, UNIDENTIFIABLE = "identifiable", "combination", "unidentifiable"
# What the data would show if the model fitted: another explanation of them gives it another value.
IN_DOUBT = "in_doubt"
# A parameter or combination counts as shown when its standard deviation is below this part of the prior's, and at most
# this part of its value or of the physical scale of its body.
RESOLVED = 0.05
# A parameter with a stated prior must also be known this much better after the data than before, or it is the prior.
SHRUNK = 0.5
# Smallest share, in units of the prior, with which a parameter is named in a combination.
NAMED = 0.02


@dataclass(frozen=True)
class Combination:
    """A sum of parameters that the data show although they do not show its terms.

    Attributes
    ----------
    name : str
        The terms, as in 'm_p + 6 m_e'.
    weights : ndarray, shape (P,)
        Factors of the parameters, the first named one 1.
    value, std : float
    unit : str
        That of the first named parameter.
    nominal : float
    status : str
        COMBINATION, or IN_DOUBT where the model does not fit the data that show it.
    """

    name: str
    weights: FloatArray
    value: float
    std: float
    unit: str
    nominal: float
    status: str = COMBINATION


@dataclass(frozen=True)
class Identifiability:
    """What a posterior shows.

    Attributes
    ----------
    status : tuple of str, length P
    std : ndarray, shape (P,)
        Standard deviations, none above the prior's: nothing can be known less well than before the data.
    combinations : tuple of Combination
        Of the parameters that stay unresolved.
    """

    status: tuple[str, ...]
    std: FloatArray
    combinations: tuple[Combination, ...]


def assess(
    names: tuple[str, ...],
    units: tuple[str, ...],
    mean: FloatArray,
    nominal: FloatArray,
    covariance: FloatArray,
    prior_std: FloatArray,
    resolved: float = RESOLVED,
    scale: FloatArray | None = None,
    seen: FloatArray | None = None,
    *,
    size: FloatArray | None = None,
) -> Identifiability:
    """Say what a posterior shows beyond its prior.

    A parameter is identifiable when its standard deviation fell below `resolved` times the prior's. Where a prior
    other than `scale` is stated, the parameter's own prior is first taken out of its posterior (the precisions of
    independent priors add: 1 / u^2 = 1 / v^2 - 1 / s^2 + 1 / scale^2): it is identifiable when what is left, the data
    and what is stated of *other* parameters, knows it to `resolved` times `scale`, and when they at least halve the
    stated standard deviation. What is mostly the stated prior is thus never shown as found. Of the others, the
    directions that did fall that far are reduced to echelon form (Gautier's regrouping, on the posterior
    instead of the regressor's null space) and named by their terms.

    Nothing is shown, alone or in a combination, whose standard deviation is more than `resolved` times its value and
    more than `resolved` times its physical scale (`size`; of a combination, that of the first named parameter).

    Parameters
    ----------
    names, units : tuple of str, length P
    mean, nominal, prior_std : ndarray, shape (P,)
        SI units.
    covariance : ndarray, shape (P, P)
    resolved : float
    scale : ndarray, shape (P,), optional
        What a large error of each parameter is, the standard deviation of a prior that states nothing; by default
        `prior_std`.
    seen : ndarray, shape (P, P), optional
        The covariance without what was assumed in addition to the priors; it decides what the data show. By default
        all of it.
    size : ndarray, shape (P,), optional
        Physical scale of each parameter in SI units (`Parameter.size`); by default `scale`.

    Returns
    -------
    Identifiability
        Status 'combination' marks a parameter seen only in a combination.
    """
    covariance = np.ascontiguousarray(covariance)
    seen = covariance if seen is None else np.ascontiguousarray(seen)
    scaled, std, unit, shown = (
        np.empty(covariance.shape),
        np.empty(len(names)),
        np.empty(len(names)),
        np.empty(len(names), dtype=np.bool_),
    )
    scale = prior_std if scale is None else scale
    size = scale if size is None else size
    if _fill_shown(covariance, seen, prior_std, (mean, scale, size), resolved, scaled, (std, unit), shown):
        return Identifiability((IDENTIFIABLE,) * len(names), std, ())
    status = [IDENTIFIABLE if one else UNIDENTIFIABLE for one in shown.tolist()]
    combinations = []
    if status.count(UNIDENTIFIABLE) > 1:
        rest = np.flatnonzero(~shown)
        values, vectors = np.linalg.eigh(scaled[rest[:, None], rest])
        weights, named_std, pivots = _name_directions(
            values, vectors, rest, covariance, (mean, unit, size), resolved
        )
        rows = zip(
            weights,
            (weights @ mean).tolist(),
            named_std.tolist(),
            (weights @ nominal).tolist(),
            pivots.tolist(),
            strict=True,
        )
        for one, value, its_std, its_nominal, pivot in rows:
            factors = one.tolist()
            for k, factor in enumerate(factors):
                if factor:
                    status[k] = COMBINATION
            name = _format_terms(factors, names, units, pivot)
            combinations.append(Combination(name, one, value, its_std, units[pivot], its_nominal))
    return Identifiability(tuple(status), std, tuple(combinations))


@kernel
def _fill_shown(covariance, seen, prior_std, sizes, resolved, scaled, deviations, shown):
    """Write what is seen in units of the parameters' sizes, and what it shows; whether that is all (`assess`).

    `sizes` are values, scales and physical scales, `deviations` those stated and those units: a prior that states
    something, else the physical scale or a larger value, but no more than the prior.
    """
    mean, scale, size = sizes
    std, unit = deviations
    everything = True
    for i in range(prior_std.size):
        unit[i] = prior_std[i]
        if prior_std[i] == scale[i]:
            own_size = size[i]
            if abs(mean[i]) > own_size:
                own_size = abs(mean[i])
            if 0.0 < own_size < prior_std[i]:
                unit[i] = own_size
    for i in range(prior_std.size):
        for j in range(prior_std.size):
            scaled[i, j] = seen[i, j] / (unit[i] * unit[j])
        std[i] = np.sqrt(covariance[i, i])
        if std[i] > prior_std[i]:
            std[i] = prior_std[i]
        shrunk = np.sqrt(scaled[i, i])
        if prior_std[i] == scale[i]:
            shown[i] = shrunk < resolved
        else:
            own = (prior_std[i] / scale[i]) ** 2
            gained = 1.0 / max(shrunk, 1e-300) ** 2 - 1.0  # precision over the prior's, in units of it
            shown[i] = (gained + own) * resolved**2 > own and shrunk < SHRUNK
        shown[i] = shown[i] and _is_resolved(std[i], mean[i], size[i], resolved)
        everything = everything and shown[i]
    return everything


@kernel
def _is_resolved(std, value, size, resolved):
    """Return whether a standard deviation is small compared with the value or the physical scale."""
    return std <= resolved * size or std <= resolved * abs(value)


@kernel
def _name_directions(values, vectors, rest, covariance, sizes, resolved):
    """Directions that fell below `resolved`, by their large terms, of those that are still shown when so named.

    Of eigenvalues (k,), eigenvectors (k, k) and places `rest` (k,) among the parameters: weights (n, P), standard
    deviations (n,) and first terms (n,). `sizes` are values, units of the columns and physical scales.
    """
    mean, unit, size = sizes
    width, fallen = unit.size, 0
    for j in range(values.size):
        fallen += np.sqrt(max(values[j], 0.0)) < resolved
    rows, row = np.empty((fallen, values.size)), 0
    for j in range(values.size):
        if np.sqrt(max(values[j], 0.0)) < resolved:
            for i in range(values.size):
                rows[row, i] = vectors[i, j]
            row += 1
    rows = echelon(rows)
    weights, stds = np.zeros((rows.shape[0], width)), np.empty(rows.shape[0])
    pivots = np.empty(rows.shape[0], dtype=np.int64)
    count = 0
    for one in rows:
        first, terms = 0, 0
        for j in range(one.size):
            terms += abs(one[j]) >= NAMED
            if abs(one[j]) > abs(one[first]):
                first = j
        if terms < 2:
            continue
        pivot = rest[first]
        weights[count] = 0.0
        for j in range(one.size):
            if abs(one[j]) >= NAMED:
                weights[count, rest[j]] = one[j] / one[first] * unit[pivot] / unit[rest[j]]
        variance, value = 0.0, 0.0
        for i in range(width):
            value += weights[count, i] * mean[i]
            for j in range(width):
                variance += weights[count, i] * covariance[i, j] * weights[count, j]
        if np.sqrt(variance) >= resolved * unit[pivot]:
            continue  # naming only the large terms lost it
        if not _is_resolved(np.sqrt(variance), value, size[pivot], resolved):
            continue
        stds[count], pivots[count] = np.sqrt(variance), pivot
        count += 1
    return weights[:count], stds[:count], pivots[:count]


@kernel
def echelon(rows):
    """Reduced echelon form with complete pivoting: each row has a column of its own, where it is largest."""
    rows = rows.copy()
    count, width = rows.shape
    free = np.ones(width, dtype=np.bool_)
    for k in range(count):
        pivot, column, largest = k, -1, -1.0
        for i in range(k, count):
            for j in range(width):
                if free[j] and abs(rows[i, j]) > largest:
                    pivot, column, largest = i, j, abs(rows[i, j])
        free[column] = False
        for j in range(width):
            rows[k, j], rows[pivot, j] = rows[pivot, j], rows[k, j]
        rows[k] /= rows[k, column]
        for other in range(count):
            if other != k:
                factor = rows[other, column]
                for j in range(width):
                    rows[other, j] -= factor * rows[k, j]
    return rows


_LENGTHS = {"kg": 0, "kg m": 1, "kg m^2": 2}  # powers of a length in the units of a body's parameters


def _format_terms(values: list[float], names: tuple[str, ...], units: tuple[str, ...], pivot: int) -> str:
    """Return the terms of a sum, factors with their units."""
    text = names[pivot]
    for i in sorted((k for k in range(len(values)) if values[k]), key=lambda k: -abs(values[k])):
        if i == pivot:
            continue
        name = f"({names[i]})" if "+" in names[i] else names[i]
        factor = f"{abs(values[i]):.3g} {_format_factor_unit(units[pivot], units[i])}"
        text += (" - " if values[i] < 0 else " + ") + ("" if factor == "1 " else factor) + name
    return text


def _format_factor_unit(first: str, other: str) -> str:
    """What a factor is in that makes of one unit another, with a space behind it; empty where they are the same."""
    if first == other:
        return ""
    if first in _LENGTHS and other in _LENGTHS:
        power = _LENGTHS[first] - _LENGTHS[other]
        length = "m" if abs(power) == 1 else f"m^{abs(power)}"
        return f"{length} " if power > 0 else f"1/{length} "
    return f"({first})/({other}) "
