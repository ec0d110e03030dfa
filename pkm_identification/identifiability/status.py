"""What the data can show: which parameters alone, which only in a combination, which not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compiled import kernel
from ..motion import FloatArray

IDENTIFIABLE, COMBINATION, UNIDENTIFIABLE = "identifiable", "combination", "unidentifiable"
# A parameter counts as shown when its standard deviation is below this part of the prior's (about its own size).
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
    """

    name: str
    weights: FloatArray
    value: float
    std: float
    unit: str
    nominal: float


@dataclass(frozen=True)
class Identifiability:
    """Status per parameter and the combinations of those that stay unresolved."""

    status: tuple[str, ...]
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
) -> Identifiability:
    """Say what a posterior shows beyond its prior.

    A parameter is identifiable when its standard deviation fell below `resolved` times the prior's. Where a prior
    other than `scale` is stated, the parameter's own prior is first taken out of its posterior (the precisions of
    independent priors add: 1 / u^2 = 1 / v^2 - 1 / s^2 + 1 / scale^2): it is identifiable when what is left, the data
    and what is stated of *other* parameters, knows it to `resolved` times `scale`, and when they at least halve the
    stated standard deviation. What is mostly the stated prior is thus never shown as found. Of the others, the
    directions that did fall that far are reduced to echelon form (Gautier's regrouping, on the posterior
    instead of the regressor's null space) and named by their terms.

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
        The covariance without what was assumed besides the priors; it decides what the data show. By default all of it.

    Returns
    -------
    Identifiability
        Status 'combination' marks a parameter seen only in a combination.
    """
    scaled = (covariance if seen is None else seen) / np.outer(prior_std, prior_std)
    shown = _shown(np.sqrt(np.diag(scaled)), prior_std, prior_std if scale is None else scale, resolved)
    status = np.where(shown, IDENTIFIABLE, UNIDENTIFIABLE).astype(object)
    rest = np.nonzero(~shown)[0]
    combinations = []
    if rest.size > 1:
        values, vectors = np.linalg.eigh(scaled[np.ix_(rest, rest)])
        rows = _echelon(vectors[:, np.sqrt(np.maximum(values, 0.0)) < resolved].T)
        for row in rows:
            named = np.abs(row) >= NAMED
            if named.sum() < 2:
                continue
            weights = np.zeros(len(names))
            pivot = int(np.argmax(np.abs(row)))
            weights[rest[named]] = row[named] / row[pivot] * prior_std[rest[pivot]] / prior_std[rest[named]]
            std = float(np.sqrt(weights @ covariance @ weights))
            if std >= resolved * prior_std[rest[pivot]]:
                continue  # naming only the large terms lost it
            status[rest[named]] = COMBINATION
            combinations.append(
                Combination(
                    name=_terms(weights, names, int(rest[pivot])),
                    weights=weights,
                    value=float(weights @ mean),
                    std=std,
                    unit=units[rest[pivot]],
                    nominal=float(weights @ nominal),
                )
            )
    return Identifiability(tuple(str(s) for s in status), tuple(combinations))


def _shown(shrunk: FloatArray, prior_std: FloatArray, scale: FloatArray, resolved: float) -> FloatArray:
    """Which parameters the data show; `shrunk` is the posterior's standard deviation over the prior's."""
    stated = prior_std != scale
    precision = 1.0 / np.maximum(shrunk, 1e-300) ** 2 - 1.0  # gained over the prior, in units of it
    own = (prior_std / scale) ** 2
    found = (precision + own) * resolved**2 > own
    return np.where(stated, found & (shrunk < SHRUNK), shrunk < resolved)


@kernel
def _echelon(rows):
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


def _terms(weights: FloatArray, names: tuple[str, ...], pivot: int) -> str:
    order = [pivot] + [i for i in np.argsort(-np.abs(weights)) if i != pivot and weights[i] != 0.0]
    text = names[pivot]
    for i in order[1:]:
        name = f"({names[i]})" if "+" in names[i] else names[i]
        factor = f"{abs(weights[i]):.3g} "
        text += (" - " if weights[i] < 0 else " + ") + ("" if factor == "1 " else factor) + name
    return text
