"""Base parameters and friction of any mechanism from the forces of its drives, through what the drives do to them.

Coordinates and forces of a log come from the encoders' side and from currents or pressures; what the file says of the
actuators turns them into those at the mechanism (`signals.forces.drive_transfer`). Equations are the closed mechanism's
regressor, in the estimation band, for any estimator of `estimation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.estimation.equations import Equations
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Fit, Problem
from pkm_identification.mechanisms.multibody.dynamics import drive_inertia, regressor
from pkm_identification.mechanisms.multibody.kinematics import MechanismMotion, motion_of_drives
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.basis import Basis
from pkm_identification.parameters.parameter import Kind, Parameter
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.parameters.prior import Prior
from pkm_identification.signals.band import BandSettings
from pkm_identification.signals.butterworth import low_pass, zero_phase
from pkm_identification.signals.differences import central_differences, stencil
from pkm_identification.signals.forces.drive_transfer import DriveTransfer

from ..equations.linear_equations import linear_equations
from ..excitation.mechanism import BASE, BaseSet
from ..rates.kinematic_cutoff import WIDEST_SHARE

CUTOFF, ORDER = 60.0, 4  # low-pass on coordinates and forces: Hz, where the sample rate allows it
WIDE = 10.0  # times its size is what a parameter may be off
HELD_OUT = 0.25  # of the log, its end
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


class MechanismModel:
    """Drive forces, linear in base parameters, viscous and Coulomb friction of the drives, and inertia along them.

    Attributes
    ----------
    basis : Basis
    outputs : tuple of str
    base : BaseSet
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        description = mechanism.description
        self.base = BaseSet.of(mechanism)
        self.outputs = tuple(drive.force for drive in description.drives)
        self._bend = float(description.friction.parameters[0]) if description.friction.parameters else 0.0
        units = [
            (drive.measure.unit, "N m" if drive.measure.unit == "rad" else "N")
            for drive in description.drives
        ]
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
        self.basis = Basis((*self.base.entries(), *rubbing, *along))

    def parameter_set(self, friction: tuple[Kind, ...] = (Kind.COULOMB,)) -> ParameterSet:
        """Base parameters and friction of some kinds; the rest, and the drives' inertia, are the file's."""
        wanted = [
            k
            for k, entry in enumerate(self.basis.entries)
            if k < len(self.base.names) or entry.kind in friction
        ]
        mapping = np.eye(len(self.basis))[:, wanted]
        known = np.array(self.basis.nominal)
        known[wanted] = 0.0
        return ParameterSet(BASE, tuple(self.basis.entries[k] for k in wanted), mapping, known)

    def regressor(self, motion: DriveSamples, mapping: FloatArray) -> FloatArray:
        """See `LinearModel`."""
        moved, count = motion.motion, len(self.outputs)
        rigid = np.asarray(regressor(self._mechanism, moved))[:, :, self.base.columns]
        rate = np.asarray(moved.drive_rate)
        side = np.clip(rate / self._bend, -1.0, 1.0) if self._bend else np.sign(rate)
        own = [
            np.eye(count) * part[:, :, None] for part in (rate, side, np.asarray(moved.drive_acceleration))
        ]
        return np.concatenate([rigid, *own], axis=2) @ mapping


@dataclass(frozen=True)
class MechanismIdentification:
    """What was found.

    Attributes
    ----------
    problem : Problem
        Of the log without its end.
    fit : Fit
    held_out : ndarray, shape (n,)
        rms of measured less predicted force over that of the force, in the band, on the log's end.
    held_out_file : ndarray, shape (n,)
        The same of the file's own values.
    """

    problem: Problem
    fit: Fit
    held_out: FloatArray
    held_out_file: FloatArray


def identify_mechanism(
    mechanism: Mechanism,
    time: FloatArray,
    drive: FloatArray,
    force: FloatArray,
    estimator: str = "ls",
    friction: tuple[Kind, ...] = (Kind.COULOMB,),
    band: float = 0.0,
) -> MechanismIdentification:
    """Estimate base parameters and friction of the drives from one log.

    Parameters
    ----------
    mechanism : Mechanism
        In float64; its actuators, if any, say what lies between the log and the mechanism.
    time : ndarray, shape (N,)
        s, regular.
    drive, force : ndarray, shape (N, n)
        What encoders and currents (or pressures) stand for, m or rad, N or N m.
    estimator : str
        A name of `estimation.estimators.ESTIMATORS` that needs equations alone.
    friction : tuple of Kind
        Which friction coefficients of the drives are estimated.
    band : float
        Hz; 0: 10 Hz, less below 100 samples a second.

    Raises
    ------
    LogError
        If the log is too short or not regular.
    SettingsError
        If the base parameters are in doubt, the friction law is not Coulomb's, or the estimator needs more.
    MotionRefused
        If a row is out of the mechanism's reach.
    """
    period = float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    if period <= 0 or np.ptp(np.diff(time)) > 0.01 * period:
        raise LogError("the log's samples are not regular in time")
    if mechanism.description.friction.law.name != "coulomb":
        raise SettingsError(
            f"friction law '{mechanism.description.friction.law.name}': 'coulomb' alone can be estimated"
        )
    if estimator not in ESTIMATORS or ESTIMATORS[estimator].twins:
        raise SettingsError(f"estimator '{estimator}': not one that takes a mechanism's equations")
    model = MechanismModel(mechanism)
    parameters = model.parameter_set(friction)
    settings = BandSettings(period, band)
    equations = mechanism_equations(mechanism, model, parameters, time, drive, force, settings)
    rms = np.sqrt(np.mean(equations.regressor**2, axis=(0, 1)))
    size = np.sqrt(np.mean(equations.force**2))
    entries = tuple(
        replace(entry, scale=WIDE * size / max(width, 1e-12))
        for entry, width in zip(parameters.entries, rms, strict=True)
    )
    parameters = replace(parameters, entries=entries)
    begin = round((1.0 - HELD_OUT) * len(equations))
    if begin < 2 * len(parameters):
        raise LogError(f"the log is too short: {begin} equations for {len(parameters)} parameters")
    problem = Problem(
        parameters=parameters,
        prior=Prior.of(parameters),
        equations=equations[:begin],
        typical_force=float(size),
        redundancy=settings.redundancy,
        samples=len(time),
    )
    fit = ESTIMATORS[estimator].fit(problem, Tuning())
    end = equations[begin:]
    found, stated = (_missed(end, values) for values in (fit.mean, parameters.nominal))
    return MechanismIdentification(problem, fit, found, stated)


def mechanism_equations(
    mechanism: Mechanism,
    model: MechanismModel,
    parameters: ParameterSet,
    time: FloatArray,
    drive: FloatArray,
    force: FloatArray,
    band: BandSettings,
) -> Equations:
    """Equations in the band of one log; parameters as of `identify_mechanism`."""
    period = band.period
    actuators = mechanism.description.actuators
    if actuators is not None:
        control = mechanism.description.control
        held = period if control is None else min(control.command_period, period)
        through = DriveTransfer([actuator.transfer(held) for actuator in actuators], period)
        drive, force = through.corrected(drive, force)
        time = time[through.before : len(time) - through.after]
    cutoff = min(CUTOFF, WIDEST_SHARE / period)
    sections, steps = low_pass(ORDER, cutoff, 1.0 / period), stencil(period)
    edge = max(steps.reach, int(np.ceil(2.0 / (cutoff * period))))
    if len(time) < 4 * edge + 2 * steps.reach:
        raise LogError(f"the log is too short: {len(time)} samples")
    smooth = zero_phase(sections, drive)
    rate, acceleration = central_differences(smooth, period, steps)
    inner, shifted = (
        slice(edge, len(time) - edge),
        slice(edge - steps.reach, len(rate) - (edge - steps.reach)),
    )
    motion = motion_of_drives(mechanism, smooth[inner], rate[shifted], acceleration[shifted])
    samples = DriveSamples(time[inner], motion)
    measured = zero_phase(sections, force)[inner]
    return linear_equations(
        model, parameters, samples, measured, np.zeros(len(samples), dtype=np.int64), band
    )


def _missed(equations: Equations, values: FloatArray) -> FloatArray:
    """rms of what values leave of the force, over the force's rms, by drive."""
    left = equations.measured - equations.regressor @ values
    return np.sqrt(np.mean(left**2, axis=0) / np.mean(equations.force**2, axis=0))
