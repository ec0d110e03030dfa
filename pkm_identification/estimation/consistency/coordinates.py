# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Free coordinates of a parameter set: P numbers, each choice of which is a machine that can exist.

One body has its log-Cholesky coordinates (`log_cholesky`), everything else that must exceed a bound the
logarithm of its excess. So estimators need no constraints, at the price of a model that is no longer linear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior

from .central_path import Projection, follow_path, stack_conditions
from .constraints import inequalities, is_physical, violations
from .layout import BLOCK, BOUNDED, FREE, Layout, Slots, build_body_matrix
from .log_cholesky import (
    compute_body_moments,
    compute_body_moments_jacobian,
    compute_centred_moments,
    compute_centred_moments_jacobian,
    free_coordinates,
)

# A start closer to its bound than this part of a large error is moved away: logarithms never leave the bound itself.
CLEARANCE = 0.01
# Standard deviation of what stands above U's diagonal, relative to its row's length: how far axes may be turned.
TURNED = 0.3


@kernel
def rod_bound(moments, rod, differences):
    """(bound, strut): what Jt - Ja / 2 of a rod must exceed, h_e^2 / m_e, and the strut that says so."""
    highest, strut = -np.inf, 0
    for i in range(differences.shape[0]):
        first = moments[rod[1]] + differences[i, 1]
        bound = first * first / (moments[rod[0]] + differences[i, 0]) - differences[i, 2]
        if bound > highest:
            highest, strut = bound, i
    return highest, strut


@kernel
def compute_slot_moments(theta, slots, block, out, moments):
    """Moments of the density (P,) of free coordinates (P,); `block` and `out` are scratch (10)."""
    for k in range(theta.size):
        if slots.kind[k] == BOUNDED:
            moments[k] = slots.floor[k] + np.exp(theta[k])
        elif slots.kind[k] == FREE:
            moments[k] = theta[k]
    size = slots.body.size
    if size:
        for k in range(size):
            block[k] = theta[slots.body[k]]
        if size == BLOCK:
            compute_body_moments(block, out)
        else:
            compute_centred_moments(block, slots.known, out)
        for k in range(size):
            moments[slots.body[k]] = out[k]
    for r in range(slots.rods.shape[0]):
        last = slots.rods[r, 2]
        moments[last] = rod_bound(moments, slots.rods[r], slots.differences[r])[0] + np.exp(theta[last])


@kernel
def compute_slot_jacobian(theta, slots, moments, jacobian):
    """Derivative (P, P) of `compute_slot_moments`; `moments` are those of theta."""
    jacobian[:] = 0.0
    for k in range(theta.size):
        if slots.kind[k] == BOUNDED:
            jacobian[k, k] = moments[k] - slots.floor[k]
        elif slots.kind[k] == FREE:
            jacobian[k, k] = 1.0
    size = slots.body.size
    if size:
        block, out, inner = np.empty(size), np.empty(size), np.empty((size, size))
        for k in range(size):
            block[k] = theta[slots.body[k]]
            out[k] = moments[slots.body[k]]
        if size == BLOCK:
            compute_body_moments_jacobian(block, out, inner)
        else:
            compute_centred_moments_jacobian(block, slots.known, out, inner)
        for k in range(size):
            for j in range(size):
                jacobian[slots.body[k], slots.body[j]] = inner[k, j]
    for r in range(slots.rods.shape[0]):
        mass, first, last = slots.rods[r]
        strut = rod_bound(moments, slots.rods[r], slots.differences[r])[1]
        distance = (moments[first] + slots.differences[r, strut, 1]) / (
            moments[mass] + slots.differences[r, strut, 0]
        )
        jacobian[last, last] = np.exp(theta[last])
        jacobian[last, first] = 2.0 * distance
        jacobian[last, mass] = -distance * distance * jacobian[mass, mass]


@kernel
def compute_slot_curvature(slots, jacobian, pull, curvature):
    """How moments at their bounds curve a sum of squares by its own coordinates (P,): never negative, else zero.

    `pull` (P,) are the products of the residual with the columns of the moments: half the slope, downwards.
    """
    curvature[:] = 0.0
    for k in range(curvature.size):
        if slots.kind[k] == BOUNDED:
            # an excess is its own first and second derivative by its logarithm
            curvature[k] = max(0.0, -pull[k] * jacobian[k, k])
    for r in range(slots.rods.shape[0]):
        last = slots.rods[r, 2]
        curvature[last] = max(0.0, -pull[last] * jacobian[last, last])
    size = slots.body.size
    if size:
        first = 4 if size == BLOCK else 1
        for k in range(first, first + 3):
            # a pivot is a square: its second derivative is twice the first
            slot = slots.body[k]
            curvature[slot] = max(0.0, -2.0 * pull[slot] * jacobian[slot, slot])


@dataclass(frozen=True)
class FreeCoordinates:
    """Free coordinates theta of a parameter set, and back.

    Attributes
    ----------
    layout : Layout
    slots : Slots
    parameter_prior : Prior
        The prior of the parameters themselves.
    prior : Prior
        The same of theta: as wide, but without what cannot be.
    """

    each_body: ClassVar[bool] = True

    layout: Layout
    slots: Slots
    parameter_prior: Prior
    prior: Prior

    @classmethod
    def of(cls, layout: Layout) -> FreeCoordinates:
        """Return coordinates of a parameter set sorted into slots."""
        slots = Slots.of(layout)
        parameter_prior = Prior.of(layout.parameters)
        moments = layout.lowering @ parameter_prior.mean
        start = _free(slots, moments, CLEARANCE * layout.resolution(parameter_prior))
        return cls(layout, slots, parameter_prior, _build_prior(slots, start, layout.scale(parameter_prior)))

    def physical(self, theta: FloatArray) -> FloatArray:
        """Return parameters w (P,) in SI units of any theta (P,)."""
        return self.layout.lifting @ self._moments(theta)

    def jacobian(self, theta: FloatArray) -> FloatArray:
        """Return derivative of `physical`, shape (P, P): rows are parameters, columns coordinates."""
        derivative = np.empty((len(theta), len(theta)))
        compute_slot_jacobian(
            np.ascontiguousarray(theta, dtype=float), self.slots, self._moments(theta), derivative
        )
        return self.layout.lifting @ derivative

    def free(self, values: FloatArray) -> FloatArray:
        """Return coordinates theta (P,) of parameters (P,) in SI units; raises ValueError if they are not physical."""
        return _free(self.slots, self.layout.lowering @ np.asarray(values, dtype=float))

    def project(self, values: FloatArray, root: FloatArray) -> Projection:
        """See `physical.Physical`."""
        if self.is_possible(values):
            return Projection(values, 0, False)
        scale = self.parameter_prior.std
        start = self.physical(self.prior.mean) / scale
        conditions = stack_conditions(inequalities(self.layout), scale)
        optimum, steps = follow_path(start, values / scale, root * scale, conditions)
        return Projection(optimum * scale, steps, True)

    def is_possible(self, values: FloatArray) -> bool:
        """See `physical.Physical`."""
        return is_physical(inequalities(self.layout), values)

    def name_violations(self, values: FloatArray, status: tuple[str, ...]) -> list[str]:
        """See `physical.Physical`."""
        return violations(self.layout, values, status)

    def find_sizes(self, _: ParameterSet) -> FloatArray:
        """See `physical.Physical`."""
        return self.parameter_prior.std

    def _moments(self, theta: FloatArray) -> FloatArray:
        moments = np.empty(len(theta))
        compute_slot_moments(
            np.ascontiguousarray(theta, dtype=float), self.slots, np.empty(BLOCK), np.empty(BLOCK), moments
        )
        return moments


def _free(slots: Slots, moments: FloatArray, least: FloatArray | None = None) -> FloatArray:
    """Return coordinates of slots; excesses over bounds below `least` (P,) are raised to it."""
    least = np.full(len(moments), -np.inf) if least is None else least
    moments = moments.copy()
    theta = moments.copy()
    for k in np.nonzero(slots.kind == BOUNDED)[0]:
        theta[k] = _take_logarithm(max(moments[k] - slots.floor[k], least[k]))
        moments[k] = slots.floor[k] + np.exp(theta[k])
    if slots.body.size:
        mass, *_ = places = slots.body
        second = places[4:7] if len(places) == BLOCK else places[1:]
        moments[mass] = max(moments[mass], least[mass])
        whole = free_coordinates(build_body_matrix(slots, moments), least[second])
        theta[places] = whole if len(places) == BLOCK else whole[[0, 4, 5, 6]]
    for rod, differences in zip(slots.rods, slots.differences, strict=True):
        excess = moments[rod[2]] - rod_bound(moments, rod, differences)[0]
        theta[rod[2]] = _take_logarithm(max(excess, least[rod[2]]))
    return theta


def _take_logarithm(excess: float) -> float:
    if not excess > 0.0:
        raise ValueError(f"a parameter lies {-excess:.3g} beyond its bound")
    return float(np.log(excess))


def _build_prior(slots: Slots, mean: FloatArray, scale: FloatArray) -> Prior:
    """Log-normal about the start; an excess has the standard deviation that the parameters give it."""
    std = np.empty(len(mean))
    for k in range(len(mean)):
        std[k] = scale[k] if slots.kind[k] == FREE else _spread(scale[k] / np.exp(mean[k]))
    places = slots.body
    if places.size:
        mass = np.exp(2.0 * mean[places[0]])
        std[places[0]] = 0.5 * _spread(scale[places[0]] / mass)
        whole = len(places) == BLOCK
        second = places[4:7] if whole else places[1:]
        std[second] = 0.5 * _spread(scale[second] / (mass * np.exp(2.0 * mean[second])))
        if whole:
            std[places[1:4]] = scale[places[1:4]] / mass
            # what stands right of a row's diagonal, in terms of the row's length: a radius of gyration
            radius = np.exp(2.0 * mean[second])
            radius[0] += mean[places[7]] ** 2 + mean[places[8]] ** 2
            radius[1] += mean[places[9]] ** 2
            std[places[7:]] = TURNED * np.sqrt(radius[[0, 0, 1]])
    return Prior(mean, std)


def _spread(relative: FloatArray) -> FloatArray:
    """Return standard deviation of the logarithm of what has this relative standard deviation."""
    return np.sqrt(np.log1p(relative**2))
