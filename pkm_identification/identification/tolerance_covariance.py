# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the tolerances of a machine file do to an estimate: covariance J diag(tolerance^2) J^T.

J is how the estimate answers to what was taken as known: the least-squares fit of the same samples, once more with each
quantity off by its tolerance. Smooth motion in a band of 10 Hz needs no samples at 1 kHz for that, so every fit takes
every n-th of the filtered samples only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.declared import declarations
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.estimation.problem import Problem
from pkm_identification.machines.load import as_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.tolerances import Tolerances
from pkm_identification.motion import STRUTS, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import axes_across, matrix_from_vector
from pkm_identification.numerics.segments import segment_slices
from pkm_identification.parameters.relations import LinearRelations

from .model_errors.estimated.linearisation import Linearisation
from .problem_builder import build_problem
from .samples import Samples, close_samples
from .settings import Settings

SAMPLES_PER_PERIOD = 10  # of the band's cutoff


@dataclass(frozen=True)
class Off:
    """One quantity off by its tolerance: the machine and the struts' motion as they then would be."""

    name: str
    machine: Machine
    struts: tuple[StrutMotion, ...]


@dataclass(frozen=True)
class ToleranceShare:
    """What one kind of tolerance adds.

    Attributes
    ----------
    name : str
        Of the tolerance.
    size : float
        As the machine file has it, SI.
    changes : ndarray, shape (K, P)
        What each of its K quantities, off by its tolerance, does to the estimate: SI units, nuisance parameters
        included. The same quantities in the same order for every log of the machine.
    """

    name: str
    size: float
    changes: FloatArray

    @property
    def covariance(self) -> FloatArray:
        """What it adds to the covariance, shape (P, P), SI units."""
        return self.changes.T @ self.changes


def tolerance_shares(
    machine: Machine,
    settings: Settings,
    samples: Sequence[Samples],
    fit: Callable[[Problem], FloatArray],
    noise: FloatArray,
    relations: LinearRelations | None = None,
    point: Linearisation | None = None,
) -> tuple[ToleranceShare, ...]:
    """What each tolerance of the machine file adds to the covariance of an estimate.

    Parameters
    ----------
    machine : Machine
    settings : Settings
        Resolved.
    samples : sequence of Samples
        Of each log, zero-phase.
    fit : callable
        Values (P,) of a problem.
    noise : ndarray, shape (m, m)
        Covariance of the equations' noise that the estimate took, N^2: with weights learned anew a quantity that is off
        would lose weight, and J would not be that of this estimate.
    relations : LinearRelations, optional
        What else the estimate rests on.
    point : Linearisation, optional
        Where effects that are estimated besides are linearised.
    """
    known = machine.tolerances.known
    if not known:
        return ()
    every = max(1, int(1.0 / (SAMPLES_PER_PERIOD * settings.band.cutoff * settings.period)))
    slower = replace(settings, band=replace(settings.band, period=every * settings.period), causal=False)
    struts = tuple(_thinned(each.struts, every) for each in samples)

    def estimate(machine: Machine, struts: Sequence[StrutMotion]) -> FloatArray:
        wrapped = as_machine(machine)
        samples = [[close_samples(wrapped, motion)] for motion in struts]
        return fit(replace(build_problem(wrapped, slower, samples, point), relations=relations, noise=noise))

    middle = estimate(machine, struts)
    shares = []
    for name, size in known.items():
        changes = [
            estimate(off.machine, off.struts) - middle
            for off in _off(name, size, machine, struts, [each.struts for each in samples], every)
        ]
        shares.append(ToleranceShare(name, size, np.array(changes).reshape(-1, len(middle))))
    return tuple(shares)


def tolerance_sentences(shares: Sequence[ToleranceShare], without: ParameterEstimate) -> tuple[str, ...]:
    """What tolerances add to the deviations of an estimate that does not have them, a sentence each."""
    own = slice(0, len(without.names))
    variance = np.maximum(np.diag(without.covariance), 1e-300)
    sentences = []
    for share in shares:
        factor = np.sqrt(1.0 + np.diag(share.covariance)[own] / variance)
        shown = [k for k, status in enumerate(without.status) if status == IDENTIFIABLE] or list(
            range(len(factor))
        )
        most = max(shown, key=lambda k: factor[k])
        declared = declarations(Tolerances).get(share.name)
        unit = "" if declared is None else declared.unit
        sentences.append(
            f"{share.name.replace('_', ' ')} known to {share.size:g}{' ' if unit else ''}{unit} (tolerances of the "
            f"machine file): the deviations include it, that of {without.names[most]} becomes {factor[most]:.3g} times "
            "as large by it"
        )
    return tuple(sentences)


def off_by_tolerances(machine: Machine, struts: StrutMotion, slope: FloatArray) -> Iterator[Off]:
    """Every quantity of the machine's tolerances off by its tolerance, for samples far apart.

    Parameters
    ----------
    machine : Machine
    struts : StrutMotion
        N samples with forces.
    slope : ndarray, shape (N, 6)
        Of the forces, N/s.
    """
    for name, size in machine.tolerances.known.items():
        if name == "force_delay":
            yield Off(name, machine, (replace(struts, force=_force(struts) + size * slope),))
        else:
            yield from _off(name, size, machine, (struts,), [struts], 1)


def _thinned(struts: StrutMotion, every: int) -> StrutMotion:
    """Every n-th sample of each segment."""
    if every == 1:
        return struts
    rows = [np.arange(part.start, part.stop, every) for part in segment_slices(struts.segment)]
    return struts[np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)]


def _off(
    name: str,
    size: float,
    machine: Machine,
    struts: tuple[StrutMotion, ...],
    whole: Sequence[StrutMotion],
    every: int,
) -> Iterator[Off]:
    """The quantities of one tolerance, one after the other."""

    def moved(change: Callable[[StrutMotion, int], StrutMotion], strut: int) -> tuple[StrutMotion, ...]:
        return tuple(change(motion, strut) for motion in struts)

    if name == "joint_places":
        for place in range(2 * STRUTS * 3):
            shift = np.zeros(2 * STRUTS * 3)
            shift[place] = size
            base, platform = shift.reshape(2, STRUTS, 3)
            places = machine.base_joints + base, machine.platform_joints + platform
            yield Off(name, replace(machine, base_joints=places[0], platform_joints=places[1]), struts)
    elif name == "gravity_direction":
        for axis in axes_across(machine.gravity) if np.any(machine.gravity) else ():
            yield Off(
                name, replace(machine, gravity=matrix_from_vector(size * axis) @ machine.gravity), struts
            )
    elif name == "motor_inertia":
        # a mass along one strut more in the machine is a force less that the other bodies need
        for i in range(STRUTS):
            yield Off(
                name, machine, moved(lambda motion, k: _less(motion, k, size * motion.acceleration[:, k]), i)
            )
    elif name == "length_offset":
        for i in range(STRUTS):
            yield Off(name, machine, moved(lambda motion, k: _longer(motion, k, np.array(size), 0.0), i))
    elif name == "length_scale":
        zero = machine.drive.length_at_zero if machine.drive is not None else np.zeros(STRUTS)
        for i in range(STRUTS):
            yield Off(
                name,
                machine,
                moved(lambda motion, k: _longer(motion, k, size * (motion.length[:, k] - zero[k]), size), i),
            )
    elif name == "force_gain":
        for i in range(STRUTS):
            yield Off(
                name, machine, moved(lambda motion, k: _less(motion, k, size * _force(motion)[:, k]), i)
            )
    elif name == "force_offset":
        for i in range(STRUTS):
            yield Off(name, machine, moved(lambda motion, k: _less(motion, k, np.array(size)), i))
    elif name == "force_delay":
        yield Off(name, machine, tuple(_thinned(_earlier(motion, size), every) for motion in whole))


def _force(motion: StrutMotion) -> FloatArray:
    if motion.force is None:
        raise ValueError("samples without forces make no equations")
    return motion.force


def _less(motion: StrutMotion, strut: int, force: FloatArray) -> StrutMotion:
    """The motion with a force less in one strut, N."""
    changed = _force(motion).copy()
    changed[:, strut] -= force
    return replace(motion, force=changed)


def _longer(motion: StrutMotion, strut: int, length: FloatArray, share: float) -> StrutMotion:
    """The motion with one strut longer by a length (m), its rates by a share."""
    parts = {name: getattr(motion, name).copy() for name in ("length", "rate", "acceleration")}
    parts["length"][:, strut] += length
    parts["rate"][:, strut] *= 1.0 + share
    parts["acceleration"][:, strut] *= 1.0 + share
    return replace(motion, **parts)


def _earlier(motion: StrutMotion, delay: float) -> StrutMotion:
    """The motion with forces of `delay` (s) later, as if those measured came late by it."""
    force = _force(motion).copy()
    for part in segment_slices(motion.segment):
        if part.stop - part.start > 1:
            force[part] += delay * np.gradient(force[part], motion.time[part], axis=0)
    return replace(motion, force=force)
