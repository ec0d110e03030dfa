# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Friction of a mechanism's axes: the law its file names, with a value of each coefficient per axis."""

from __future__ import annotations

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
    parameters : tuple of float
        In the order of the law's parameters, the transition rate first.
    rate_noise : float
        Standard deviation in m/s of the rates that the terms are given; see `registry.friction_terms`.
    """

    law: FrictionLaw
    coefficients: FloatArray
    parameters: tuple[float, ...]
    rate_noise: float = 0.0

    @classmethod
    def of(cls, law: str, **values: Any) -> Friction:
        """Friction by names.

        Parameters
        ----------
        law : str
            One of LAW_NAMES.
        **values
            Coefficients, each (N,), and parameters by their names; those without a default must be there.

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
        parameters = tuple(float(values[parameter.name]) for parameter in chosen.parameters)
        return cls(chosen, frozen(np.array(columns)), parameters)

    @cached_property
    def law_parameters(self) -> FloatArray:
        """The law for compiled kernels, shape (5,): its number, its parameters, zeros, the noise of the rates."""
        numbers = np.zeros(LAW_NUMBERS)
        numbers[NUMBER] = LAWS.index(self.law)
        numbers[TRANSITION : TRANSITION + len(self.parameters)] = self.parameters
        numbers[NOISE] = self.rate_noise
        return frozen(numbers)

    @property
    def transition_rate(self) -> float:
        """Rate in m/s below which the law has its transition."""
        return self.parameters[0]

    def parameter(self, name: str) -> float:
        """One parameter of the law by its name."""
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
        own |= {
            parameter.name: value
            for parameter, value in zip(self.law.parameters, self.parameters, strict=True)
        }
        return replace(Friction.of(self.law.name, **(own | values)), rate_noise=self.rate_noise)

    def without(self) -> Friction:
        """Return the same law with all coefficients zero."""
        return replace(self, coefficients=frozen(np.zeros_like(self.coefficients)))

    def named(self, coefficients: FloatArray) -> dict[str, list[float]]:
        """Coefficients, shape (K, N), as the machine file has them."""
        return {name: row.tolist() for name, row in zip(self.law.names, coefficients, strict=True)}


def read_friction(node: Node, axes: int) -> Friction:
    """Friction of a machine file's section.

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
        parameters.append(entry_node.positive())
        if parameters[-1] < parameter.at_least:
            entry_node.fail(
                f"= {parameters[-1]:g}: must be at least {parameter.at_least:g} ({parameter.meaning})"
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
    return Friction(law, frozen(np.array([rows[name] for name in law.names])), tuple(parameters))


@kernel
def _fill_columns(rate, numbers, columns):
    law = law_tuple(numbers, 0)
    for n in range(rate.size):
        terms = friction_terms(rate[n], law)
        for k in range(columns.shape[0]):
            columns[k, n] = terms[k]


def friction_columns(rate: FloatArray, friction: Friction) -> FloatArray:
    """Return the terms of a law: friction is the sum of coefficient times term.

    Parameters
    ----------
    rate : ndarray, any shape
        In m/s.
    friction : Friction
        Its law is used; its coefficients are not.

    Returns
    -------
    ndarray, shape (K, ...)
        NaN where the rate is.
    """
    rate = np.ascontiguousarray(rate, dtype=float)
    columns = np.empty((len(friction.law.coefficients), *rate.shape))
    _fill_columns(rate.ravel(), friction.law_parameters, columns.reshape(len(columns), -1))
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
