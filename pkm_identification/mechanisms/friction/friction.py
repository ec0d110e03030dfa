# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of a mechanism's axes: the law its file names, with a value of each coefficient per axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pkm_identification.document import Node, frozen
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

from .law import LAW_NUMBERS, NOISE, NUMBER, TRANSITION, FrictionLaw, law_tuple
from .registry import LAW_NAMES, LAWS, friction_terms, law_named


@dataclass(frozen=True)
class Friction:
    """A law and its coefficients; see `law` for what a law is.

    Attributes
    ----------
    law : FrictionLaw
    coefficients : ndarray, shape (K, N)
        In the order of the law's coefficients, a column per axis; SI units.
    parameters : ndarray, shape (Q, N)
        In the order of the law's parameters, the transition rate first, a column per axis: rates of axes in m/s and
        in rad/s are no one number.
    rate_noise : float
        Standard deviation in m/s of the rates that the terms are given; see `registry.friction_terms`.
    """

    law: FrictionLaw
    coefficients: FloatArray
    parameters: FloatArray
    rate_noise: float = 0.0

    @classmethod
    def of(cls, law: str, **values: Any) -> Friction:
        """Friction by names.

        Parameters
        ----------
        law : str
            One of LAW_NAMES.
        **values
            Coefficients, each (N,), and parameters, each of all axes or (N,), by their names; those without a default
            must be there.

        Raises
        ------
        ValueError
            If there is no such law, or it has other coefficients or parameters.
        """
        chosen = law_named(law)
        known = {coefficient.name: coefficient.default for coefficient in chosen.coefficients}
        known |= {parameter.name: parameter.default for parameter in chosen.parameters}
        wrong = [name for name in values if name not in known]
        wrong += [name for name, default in known.items() if default is None and name not in values]
        if wrong:
            raise ValueError(
                f"friction law '{law}' has {', '.join(known)}: '{wrong[0]}' is unknown or missing"
            )
        values = known | values
        columns = np.broadcast_arrays(*(np.asarray(values[name], dtype=float) for name in chosen.names))
        parameters = [
            np.broadcast_to(np.asarray(values[parameter.name], dtype=float), columns[0].shape)
            for parameter in chosen.parameters
        ]
        return cls(chosen, frozen(np.array(columns)), frozen(np.array(parameters)))

    def of_axis(self, axis: int) -> Friction:
        """Return the friction of one axis (from 0), coefficients (K, 1)."""
        own = slice(axis, axis + 1)
        return replace(self, coefficients=self.coefficients[:, own], parameters=self.parameters[:, own])

    @classmethod
    def join(cls, axes: Sequence[Friction]) -> Friction:
        """Return the friction of axes that have one law, of which each is given by itself."""
        parts = [[getattr(one, name) for one in axes] for name in ("coefficients", "parameters")]
        return replace(axes[0], coefficients=np.hstack(parts[0]), parameters=np.hstack(parts[1]))

    @cached_property
    def laws(self) -> FloatArray:
        """The law of each axis for compiled kernels, (N, 5): its number, its parameters, zeros, noise of the rates."""
        numbers = np.zeros((self.parameters.shape[1], LAW_NUMBERS))
        numbers[:, NUMBER] = LAWS.index(self.law)
        numbers[:, TRANSITION : TRANSITION + len(self.parameters)] = self.parameters.T
        numbers[:, NOISE] = self.rate_noise
        return frozen(numbers)

    @property
    def law_parameters(self) -> FloatArray:
        """The law of the first axis for compiled kernels, shape (5,), of axes that have it in common."""
        return self.laws[0]

    @property
    def alike(self) -> bool:
        """Whether all axes have the same parameters of the law."""
        return bool(np.all(self.parameters == self.parameters[:, :1]))

    @property
    def transition_rate(self) -> float:
        """Rate in m/s (rad/s) below which the law of the first axis has its transition."""
        return float(self.parameters[0, 0])

    def parameter(self, name: str) -> FloatArray:
        """One parameter of the law of all axes by its name, shape (N,)."""
        return self.parameters[[one.name for one in self.law.parameters].index(name)]

    def coefficient(self, name: str) -> FloatArray:
        """One coefficient of all axes, shape (N,); zero where the law has none of that name."""
        if name not in self.law.names:
            return np.zeros(self.coefficients.shape[1])
        return self.coefficients[self.law.names.index(name)]

    @property
    def viscous(self) -> FloatArray:
        """Viscous coefficients in N s/m, shape (N,)."""
        return self.coefficient("viscous")

    @property
    def coulomb(self) -> FloatArray:
        """Coulomb friction in N, shape (N,)."""
        return self.coefficient("coulomb")

    @property
    def acts(self) -> bool:
        """Whether there is any friction."""
        return bool(np.any(self.coefficients))

    def changed(self, **values: Any) -> Friction:
        """Return the same law with other coefficients or parameters, by their names (see `of`), of rates as noisy."""
        own: dict[str, Any] = dict(zip(self.law.names, self.coefficients, strict=True))
        own |= {one.name: value for one, value in zip(self.law.parameters, self.parameters, strict=True)}
        return replace(Friction.of(self.law.name, **(own | values)), rate_noise=self.rate_noise)

    def without(self) -> Friction:
        """Return the same law with all coefficients zero."""
        return replace(self, coefficients=frozen(np.zeros_like(self.coefficients)))

    def named(self, coefficients: FloatArray) -> dict[str, list[float]]:
        """Coefficients, shape (K, N), as the machine file has them."""
        return {name: row.tolist() for name, row in zip(self.law.names, coefficients, strict=True)}


def read_friction(node: Node, axes: int, alike: bool = True) -> Friction:
    """Friction of a machine file's section, whose law has the same numbers for all axes unless told otherwise.

    Raises
    ------
    MachineError
        If the law is unknown, a key is missing or not the law's, or a value is impossible: names the key.
    """
    law = law_named(node.take("law", "coulomb").choice(LAW_NAMES))
    parameters = []
    for parameter in law.parameters:
        entry_node = (
            node.take(parameter.name)
            if parameter.default is None
            else node.take(parameter.name, parameter.default)
        )
        if alike or not isinstance(entry_node.value, list):
            numbers = np.full(axes, entry_node.positive())
        else:
            numbers = entry_node.array(axes, not_negative=True)
            if not np.all(numbers):
                entry_node.fail(f"= {entry_node.value}: must be greater than zero")
        parameters.append(numbers)
        if np.any(numbers < parameter.at_least):
            entry_node.fail(
                f"= {numbers.min():g}: must be at least {parameter.at_least:g} ({parameter.meaning})"
            )
    rows: dict[str, FloatArray] = {}
    for coefficient in law.coefficients:
        name = coefficient.name
        entry_node = (
            node.take(name) if coefficient.default is None else node.take(name, [coefficient.default] * axes)
        )
        rows[name] = entry_node.array(axes, not_negative=coefficient.within is None)
        if coefficient.within is not None and np.any(np.abs(rows[name]) > rows[coefficient.within]):
            entry_node.fail(
                f"= {entry_node.value}: must not be larger than '{coefficient.within}', "
                "or friction would drive the axis"
            )
    node.close()
    return Friction(law, frozen(np.array([rows[name] for name in law.names])), frozen(np.array(parameters)))


@kernel
def _fill_columns(rate, laws, columns):
    for i in range(laws.shape[0]):
        law = law_tuple(laws[i], 0)
        for n in range(i, rate.size, laws.shape[0]):
            terms = friction_terms(rate[n], law)
            for k in range(columns.shape[0]):
                columns[k, n] = terms[k]


def friction_columns(rate: FloatArray, friction: Friction) -> FloatArray:
    """Return the terms of a law: friction is the sum of coefficient times term.

    Parameters
    ----------
    rate : ndarray, any shape
        In m/s; (..., N) where the N axes have other numbers of the law each.
    friction : Friction
        Its law is used; its coefficients are not.

    Returns
    -------
    ndarray, shape (K, ...)
        NaN where the rate is.
    """
    rate = np.ascontiguousarray(rate, dtype=float)
    columns = np.empty((len(friction.law.coefficients), *rate.shape))
    laws = friction.laws[:1] if friction.alike else friction.laws
    if len(laws) > 1 and (rate.ndim == 0 or rate.shape[-1] != len(laws)):
        raise ValueError(f"rate has shape {rate.shape}, expected (..., {len(laws)})")
    _fill_columns(rate.ravel(), laws, columns.reshape(len(columns), -1))
    return columns


def friction_force(rate: FloatArray, friction: Friction) -> FloatArray:
    """Force the drives need against friction, by the law the machine file names.

    The default is F = c_v L' + F_c clip(L' / v_t, -1, 1), v_t the transition rate (Oh 2003, 4.5, made continuous).

    Parameters
    ----------
    rate : ndarray, shape (..., N)
        Rates of the N axes in m/s.
    friction : Friction

    Returns
    -------
    ndarray, shape (..., N)
        N, with the sign of the rate.

    Raises
    ------
    ValueError
        If there are not as many rates as axes.
    """
    columns = friction_columns(rate, friction)
    axes = friction.coefficients.shape[1]
    if columns.shape[-1] != axes:
        raise ValueError(f"rate has shape {columns.shape[1:]}, expected (..., {axes})")
    force = friction.coefficients[0] * columns[0]
    for coefficient, column in zip(friction.coefficients[1:], columns[1:], strict=True):
        force = force + coefficient * column
    return force
