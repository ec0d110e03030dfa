# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What bodies the parameters of a mechanism are sums of, so that only sums of bodies that can exist are allowed."""

from __future__ import annotations

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.estimation.consistency.sums_of_bodies import PLANAR, SPATIAL, SumsOfBodies
from pkm_identification.mechanisms.multibody.base_set import BaseSet
from pkm_identification.mechanisms.multibody.extents import compute_body_sizes
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.parameters import build_rigid_basis
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet

from .knowledge.bodies import SMALLEST, guess_mass

_FREE = (Kind.EFFECT, Kind.NUISANCE, Kind.GAIN)


def find_sums(mechanism: Mechanism, base: BaseSet, parameters: ParameterSet) -> SumsOfBodies:
    """Return what bodies and coefficients the base parameters of a set are sums of.

    Raises
    ------
    SettingsError
        If a base parameter is fixed or tied, so that whether its body can exist cannot be told.
    """
    names = {name: k for k, name in enumerate(parameters.names)}
    lost = [name for name in base.names if name not in names]
    if lost:
        raise SettingsError(
            f"--consistent: of the bodies' parameters {lost[0]} is fixed or tied: whether the others are those of "
            "bodies cannot be decided (state it in a prior instead)"
        )
    rest = [entry for entry in parameters.entries if entry.name not in base.names]
    count = base.sums.shape[1]
    sums = np.zeros((len(names), count + len(rest)))
    for name, row in zip(base.names, base.sums, strict=True):
        sums[names[name], :count] = row
    for k, entry in enumerate(rest, count):
        sums[names[entry.name], k] = 1.0
    law = mechanism.description.friction.law
    signed = {one.name for one in law.coefficients if one.within is not None}
    positive = [
        count + k for k, entry in enumerate(rest) if entry.kind not in _FREE and entry.symbol not in signed
    ]
    bodies, begin, scale = [], 0, []
    masses, sizes = compute_body_sizes(mechanism)
    sizes = np.where(sizes > 0.0, sizes, SMALLEST)
    masses = np.where(masses > 0.0, masses, guess_mass(sizes))  # of a file without any
    for body, m, r in zip(mechanism.description.bodies, masses, sizes, strict=True):
        wide = PLANAR if body.planar else SPATIAL
        bodies.append(slice(begin, begin + wide))
        scale += [m, m * r, m * r, m * r**2] if body.planar else [m, *[m * r] * 3, *[m * r**2] * 6]
        begin += wide
    start = np.concatenate([build_rigid_basis(mechanism).nominal, [entry.nominal for entry in rest]])
    for entry in rest:
        known = max(entry.size or 0.0, abs(entry.nominal))
        scale.append(known or (entry.scale if np.isfinite(entry.scale) else 1.0))
    return SumsOfBodies(sums, start, np.array(scale), tuple(bodies), tuple(positive))
