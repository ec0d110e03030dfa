# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Equations of any mechanism: forces of its drives in base parameters and friction, through what the drives do to them.

Coordinates and forces of a log come from the encoders' side and from currents or pressures; what the file says of the
actuators turns them into those at the mechanism (`signals.forces.drive_transfer`). Equations are the closed mechanism's
regressor, in the estimation band, for any estimator of `estimation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.errors import LogError, MotionRefused
from pkm_identification.estimation.equations import Equations
from pkm_identification.mechanisms.multibody.base_set import BASE, BaseSet
from pkm_identification.mechanisms.multibody.dynamics import drive_inertia, regressor
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion, motion_of_drives
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.basis import Basis
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.records.drive_log import DriveLog
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.differences import central_differences, stencil
from pkm_identification.signals.forces.drive_transfer import DriveTransfer

from ..equations.linear_equations import linear_equations
from ..rates.kinematic_cutoff import WIDEST_SHARE
from .sizes import inertial_sizes

CUTOFF, ORDER = 60.0, 4  # low-pass on coordinates and forces: Hz, where the sample rate allows it
_ALONG = {"m": ("kg", Kind.MASS), "rad": ("kg m^2", Kind.INERTIA)}  # unit and kind of a drive's inertia
_FRICTION = ((Kind.VISCOUS, "viscous"), (Kind.COULOMB, "coulomb"))


@dataclass(frozen=True)
class DriveSamples:
    """A mechanism's motion by time, as `linear_equations` takes it."""

    time: FloatArray
    motion: MechanismMotion

    def __len__(self) -> int:
        return len(self.time)

    def __getitem__(self, chosen: slice) -> DriveSamples:
        parts = {name: part[chosen] for name, part in vars(self.motion).items()}
        return DriveSamples(self.time[chosen], MechanismMotion(**parts))


@dataclass(frozen=True)
class LoggedDrives:
    """A log at the mechanism, behind its drives and smooth.

    Attributes
    ----------
    samples : DriveSamples
    force : ndarray, shape (N, n)
        N or N m.
    segment : ndarray of int64, shape (N,)
    """

    samples: DriveSamples
    force: FloatArray
    segment: NDArray[np.int64]


class MechanismModel:
    """Drive forces, linear in base parameters, viscous and Coulomb friction of the drives, and inertia along them.

    Attributes
    ----------
    basis : Basis
    outputs : tuple of str
    base : BaseSet
    drive_units : tuple of str
        What each drive measures: m or rad.
    bend : float
        Rate within which friction of the drives bends, m/s or rad/s; 0: it does not.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        description = mechanism.description
        self.base = BaseSet.of(mechanism)
        self.outputs = tuple(drive.force for drive in description.drives)
        self.drive_units = tuple(drive.measure.unit for drive in description.drives)
        self.bend = float(description.friction.parameters[0]) if description.friction.parameters else 0.0
        units = [(drive.measure.unit, drive.force_unit) for drive in description.drives]
        rubbing = [
            Parameter(
                f"{word}_{drive.name}", f"{force} s/{length}" if kind is Kind.VISCOUS else force, kind,
                drive.name, float(value), 1.0, word, i,
            )
            for (kind, word), row in zip(_FRICTION, description.friction.coefficients[:2], strict=True)
            for i, (drive, (length, force), value) in enumerate(zip(description.drives, units, row, strict=True))
        ]  # fmt: skip
        behind = np.array([actuator.inertia_behind for actuator in description.actuators or ()])
        inertia = np.asarray(drive_inertia(mechanism), dtype=float) + (behind if len(behind) else 0.0)
        along = [
            Parameter(
                f"inertia_{drive.name}", *_ALONG[drive.measure.unit], drive.name, value, 1.0, "inertia", i
            )
            for i, (drive, value) in enumerate(zip(description.drives, inertia, strict=True))
        ]
        inertial = tuple(
            replace(entry, size=float(size))
            for entry, size in zip(
                self.base.entries(), inertial_sizes(mechanism, self.base.columns), strict=True
            )
        )
        self.basis = Basis((*inertial, *rubbing, *along))

    def parameter_set(self) -> ParameterSet:
        """Base parameters, viscous and Coulomb friction of the drives; the drives' inertia is the file's."""
        wanted = len(self.base.names) + len(_FRICTION) * len(self.outputs)
        known = np.array(self.basis.nominal)
        known[:wanted] = 0.0
        return ParameterSet(BASE, self.basis.entries[:wanted], np.eye(len(self.basis))[:, :wanted], known)

    def regressor(self, motion: DriveSamples, mapping: FloatArray) -> FloatArray:
        """See `LinearModel`."""
        moved, count = motion.motion, len(self.outputs)
        rigid = np.asarray(regressor(self._mechanism, moved))[:, :, self.base.columns]
        rate = np.asarray(moved.drive_rate)
        side = np.clip(rate / self.bend, -1.0, 1.0) if self.bend else np.sign(rate)
        own = [
            np.eye(count) * part[:, :, None] for part in (rate, side, np.asarray(moved.drive_acceleration))
        ]
        return np.concatenate([rigid, *own], axis=2) @ mapping


def mechanism_equations(
    model: MechanismModel, parameters: ParameterSet, logged: LoggedDrives, band: BandSettings
) -> Equations:
    """Equations in the band of one log, in a set of the model's basis."""
    return linear_equations(model, parameters, logged.samples, logged.force, logged.segment, band)


def logged_drives(
    mechanism: Mechanism, model: MechanismModel, log: DriveLog, band: BandSettings, number: int = 0
) -> LoggedDrives:
    """A log at the mechanism.

    Parameters
    ----------
    mechanism : Mechanism
        In float64; its actuators, if any, say what lies between the log and the mechanism.
    model : MechanismModel
    log : DriveLog
    band : BandSettings
        Of the log's period.
    number : int
        Of the log: its equations' segment.

    Raises
    ------
    LogError
        If the log is too short for the filters, or a drive's force is 0 throughout.
    MotionRefused
        If a row is out of the mechanism's reach.
    """
    period, time, drive, force = band.period, log.time, log.drive, log.force
    silent = [name for name, column in zip(model.outputs, force.T, strict=True) if not column.any()]
    if silent:
        raise LogError(f"{log.source}: {', '.join(silent)}: 0 throughout; expected the forces of all drives")
    actuators = mechanism.description.actuators
    if actuators is not None:
        control = mechanism.description.control
        held = period if control is None else control.command_period
        transfers = [replace(actuator.transfer(held), held=held).at(period) for actuator in actuators]
        through = DriveTransfer(transfers, period)
        if len(time) <= through.before + through.after:
            raise LogError(f"{log.source}: the log is too short: {len(time)} samples")
        drive, force = through.corrected(drive, force)
        time = time[through.before : len(time) - through.after]
    cutoff = min(CUTOFF, WIDEST_SHARE / period)
    sections, steps = low_pass(ORDER, cutoff, 1.0 / period), stencil(period)
    edge = max(steps.reach, int(np.ceil(2.0 / (cutoff * period))))
    if len(time) < 4 * edge + 2 * steps.reach:
        raise LogError(f"{log.source}: the log is too short: {len(time)} samples")
    smooth = zero_phase(sections, drive)
    rate, acceleration = central_differences(smooth, period, steps)
    inner, shifted = (
        slice(edge, len(time) - edge),
        slice(edge - steps.reach, len(rate) - (edge - steps.reach)),
    )
    try:
        motion = motion_of_drives(mechanism, smooth[inner], rate[shifted], acceleration[shifted])
    except MotionRefused as error:  # rows are counted from where the filters have settled
        raise MotionRefused(f"{log.source}: from {time[edge]:g} s on, {error}") from error
    samples = DriveSamples(time[inner], motion)
    measured = zero_phase(sections, force)[inner]
    return LoggedDrives(samples, measured, np.full(len(samples), number, dtype=np.int64))
