# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The friction test of a machine: slow logs in, the friction of every drive out, each drive by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pkm_identification.declared import check, declare
from pkm_identification.errors import LogError
from pkm_identification.machines.contract import OK, Machine
from pkm_identification.machines.load import AnyMachine, as_machine
from pkm_identification.motion import DriveLog, StrutMotion
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.parameters.parameter_set import ParameterSet
from pkm_identification.signals.band import OVERSAMPLING
from pkm_identification.signals.input_validation import ValidatedLog
from pkm_identification.signals.zero_phase import filter_log

from ..experiment import Experiment
from ..rates.kinematic_cutoff import kinematic_cutoff
from ..settings import Settings
from ..validation import held_out_part
from .friction_transition import FrictionTransition, fit_friction_transition
from .strut_friction import StrutFriction, StrutSamples, strut_friction, untestable

CUTOFF = 20.0  # Hz; noise on wider accelerations would bias what is fitted of the rigid body
FILTER_ORDER = 4
MOST_SAMPLES = 30_000  # of all logs: more would only cost memory
PASSES = 3  # over a strut with a Stribeck excess, which reaches beyond the rates left out
TURN_REACH = 0.5  # time left out on either side of a turn, in periods of the kinematic cutoff
WINDOW = 3.0  # rates left out, in transition rates of the friction law


@dataclass(frozen=True)
class FrictionSettings:
    """How to test; `tolerance` is relative to the size of the rigid body's parameters."""

    least_rate: float = declare(
        0.0,
        "slower samples are not used; 0: slower than three transition rates of each drive's friction law; rad/s of "
        "drives that turn",
        "m/s",
        0,
        10,
    )
    tolerance: float = declare(
        0.3, "relative standard deviation of the machine file's masses and inertias", "", 1e-6, 10
    )
    cutoff: float = declare(0.0, "low-pass; 0: 20 Hz, less for coarse encoders", "Hz", 0, 1e5)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class FrictionPrediction:
    """Friction forces that were not used for a test, predicted by it: samples in motion, as the test takes them.

    Attributes
    ----------
    percent : dict of int to float
        Root mean square of the error over that of the friction force, in %, by drive.
    total : float
        Over all these drives.
    held_out : str
        What was predicted, in words.
    """

    percent: dict[int, float]
    total: float
    held_out: str


@dataclass(frozen=True)
class FrictionTest:
    """Friction of the drives that moved.

    Attributes
    ----------
    machine : Machine
    settings : FrictionSettings
        With the values that were used; `least_rate` is the largest of the drives'.
    least_rate : ndarray, shape (n,)
        Of each drive, m/s or rad/s: slower samples were left out.
    struts : dict of int to StrutFriction
        By number, 1 to n.
    transitions : dict of int to FrictionTransition
        Shape near standstill of the same drives.
    prediction : FrictionPrediction or None
        Of the friction at the end of the logs by a test of the rest; None where they are too short for it.
    untested : dict of int to str
        Why the others could not be tested.
    samples : int
        Samples behind the test.
    dropped : dict of str to int
        Samples not used, by reason.
    warnings : tuple of str
    """

    machine: Machine
    settings: FrictionSettings
    least_rate: FloatArray
    struts: dict[int, StrutFriction]
    transitions: dict[int, FrictionTransition]
    untested: dict[int, str]
    samples: int
    dropped: dict[str, int]
    warnings: tuple[str, ...]
    prediction: FrictionPrediction | None = None


def measure_friction(
    logs: Sequence[DriveLog],
    machine: AnyMachine,
    settings: FrictionSettings | None = None,
) -> FrictionTest:
    """Test the friction of every drive that moves slowly to and fro in the logs.

    Parameters
    ----------
    logs : sequence of DriveLog
        Nothing is differentiated or filtered across them.
    machine : Machine
    settings : FrictionSettings, optional

    Raises
    ------
    LogError
        If the logs hold no forces, run at a wrong rate, or move no drive enough.
    """
    settings, machine = settings or FrictionSettings(), as_machine(machine)
    experiment = Experiment.of(logs, machine, Settings())
    widest = kinematic_cutoff(experiment.machine, experiment.period)
    cutoff = settings.cutoff or min(CUTOFF, widest)
    transition = np.array([one.transition_rate for one in machine.friction])
    least_rate = np.full(len(transition), settings.least_rate) if settings.least_rate else WINDOW * transition
    parameters = machine.build_parameter_set(machine.friction_set)
    inertial = sum(not entry.kind.friction for entry in parameters.entries)
    # how large each is: its scale in the file, or a body's size where it has none
    sizes = np.where(np.isfinite(parameters.scale), parameters.scale, parameters.size)
    rigid_std = settings.tolerance * sizes[:inertial]
    method = _Method(machine, parameters, cutoff, max(cutoff, widest), least_rate, rigid_std)
    narrow, wide = method.samples(experiment.logs)
    if not narrow.struts or not wide.struts:
        raise LogError(f"{logs[0].source}: too short: no sample remains after filtering")
    dropped = experiment.dropped | {"no_pose": narrow.failed}
    tested, transitions, untested = method.test(narrow, wide)
    if not tested:
        drive = machine.drives[0]
        raise LogError(f"{logs[0].source}: no {drive.part} can be tested: {drive.title} {untested[1]}")
    return FrictionTest(
        machine=machine,
        settings=replace(settings, least_rate=float(least_rate.max()), cutoff=cutoff),
        least_rate=least_rate,
        struts=tested,
        transitions=transitions,
        untested=untested,
        samples=narrow.count,
        dropped={name: number for name, number in dropped.items() if number},
        warnings=experiment.warnings,
        prediction=_predict_end(experiment, method),
    )


def _predict_end(experiment: Experiment, method: _Method) -> FrictionPrediction | None:
    """Friction at the end of every log, predicted by a test of the rest; no filter reaches across."""
    ends = experiment.ends()
    if not ends:
        return None
    narrow, wide = method.samples(experiment.beginnings())
    seen, _ = method.samples(ends)
    if not (narrow.struts and wide.struts and seen.struts):
        return None
    squares, errors = {}, {}
    for number, fit in method.test(narrow, wide)[0].items():
        samples = seen.struts[number - 1]
        moving = samples[samples.away & (np.abs(samples.rate) > method.least_rate[number - 1])]
        if len(moving.rate) == 0:
            continue
        friction = moving.force - moving.rigid @ fit.rigid
        squares[number] = float(np.mean(friction**2))
        errors[number] = float(np.mean((friction - fit.friction_force(moving.rate)) ** 2))
    total = sum(squares.values())
    if not total > 0.0:
        return None
    return FrictionPrediction(
        percent={n: 100.0 * float(np.sqrt(errors[n] / max(squares[n], 1e-300))) for n in squares},
        total=100.0 * float(np.sqrt(sum(errors.values()) / total)),
        held_out=held_out_part(experiment.settings.hold_out, experiment.sources[0], len(ends)),
    )


@dataclass(frozen=True)
class _Method:
    """A test with its settings worked out: `narrow` and `wide` are its low-passes in Hz."""

    machine: Machine
    parameters: ParameterSet
    narrow: float
    wide: float
    least_rate: FloatArray
    rigid_std: FloatArray

    def samples(self, logs: Sequence[ValidatedLog]) -> tuple[_SlowSamples, _SlowSamples]:
        """Samples behind the narrow and the wide low-pass; the bend is sharper than what the narrow one leaves."""
        narrow, wide = (
            _select_slow_samples(logs, self.machine, self.parameters, cutoff, self.narrow)
            for cutoff in (self.narrow, self.wide)
        )
        return narrow, wide

    def test(
        self, narrow: _SlowSamples, wide: _SlowSamples
    ) -> tuple[dict[int, StrutFriction], dict[int, FrictionTransition], dict[int, str]]:
        """Friction and transition of every drive that can be tested, and why the others cannot, by number."""
        tested, transitions, untested = {}, {}, {}
        size = self.machine.force_size
        for i, drive in enumerate(self.machine.drives):
            least_rate = float(self.least_rate[i])
            reason = untestable(narrow.struts[i], least_rate, drive.unit)
            if reason:
                untested[i + 1] = reason
                continue
            own = self._friction_scale(i, float(size[i]))
            used, stribeck_rate = narrow, None
            for _ in range(PASSES):
                fit = strut_friction(
                    used.struts[i], least_rate, own, self.rigid_std, used.redundancy, stribeck_rate
                )
                fast = wide.struts[i]
                friction = fast.force - fast.rigid @ fit.rigid
                first_guess = self.machine.friction[i].transition_rate
                transition = fit_friction_transition(
                    fast.rate, friction, fast.segment, first_guess, wide.redundancy
                )
                if transition.stribeck_rate is None:
                    break
                # such a strut sticks and slips, too fast for the narrow low-pass
                used, stribeck_rate = wide, transition.stribeck_rate.value
            tested[i + 1], transitions[i + 1] = fit, transition
        return tested, transitions, untested

    def _friction_scale(self, drive: int, force: float) -> tuple[float, float]:
        """Return what a large viscous coefficient and a large Coulomb force of a drive are."""
        own = [one for one in self.parameters.entries if one.kind.friction and one.limb == drive]
        viscous, coulomb = (
            next(one for one in own if one.kind is kind) for kind in (Kind.VISCOUS, Kind.COULOMB)
        )
        if np.isfinite([viscous.scale, coulomb.scale]).all():
            return viscous.scale, coulomb.scale
        return force / float(self.least_rate[drive]), force


@dataclass(frozen=True)
class _SlowSamples:
    """Samples of every drive, how many of the log they stand for, poses that were not found, redundancy."""

    struts: list[StrutSamples]
    count: int
    failed: int
    redundancy: float


def _select_slow_samples(
    logs: Sequence[ValidatedLog], machine: Machine, parameters: ParameterSet, cutoff: float, smooth: float
) -> _SlowSamples:
    """Return samples behind the low-pass `cutoff`; what multiplies unknowns of the rigid body, behind `smooth`.

    Noise in what multiplies an unknown biases it, noise in what is subtracted only adds to the residual.
    """
    period = logs[0].period
    inertial = sum(not entry.kind.friction for entry in parameters.entries)
    mapping = np.column_stack([parameters.mapping[:, :inertial], parameters.known])
    nominal = mapping @ np.append(parameters.nominal[:inertial], 1.0)
    total = sum(len(log.time) for log in logs)
    stride = max(round(1.0 / (OVERSAMPLING * cutoff * period)), -(-total // MOST_SAMPLES), 1)
    pieces: list[list[StrutSamples]] = [[] for _ in machine.drives]
    count = failed = segments = 0
    for log in logs:
        struts, smoother = (filter_log(log, frequency, FILTER_ORDER) for frequency in (cutoff, smooth))
        # the smoother one loses more at the ends
        _, ours, theirs = np.intersect1d(struts.time, smoother.time, return_indices=True)
        if len(ours) == 0:
            continue
        count += len(ours)
        away = ~near_turns(struts, TURN_REACH / (cutoff * period))[ours][::stride]
        struts, smoother = struts[ours[::stride]], smoother[theirs[::stride]]
        motion, slow = (
            machine.compute_motion(one.length, one.rate, one.acceleration) for one in (struts, smoother)
        )
        good = (motion.status == OK) & (slow.status == OK)
        failed += stride * int(np.count_nonzero(~good))
        struts, away, motion, slow = struts[good], away[good], motion[good], slow[good]
        if len(struts) == 0:
            continue
        nominal_force = machine.compute_regressor(motion, nominal[:, None])[:, :, 0]
        columns = machine.compute_regressor(slow, mapping[:, :inertial])
        segment = struts.segment + segments
        segments = int(segment.max()) + 1
        for i in range(len(pieces)):
            pieces[i].append(
                StrutSamples(
                    struts.rate[:, i],
                    struts.force[:, i] - nominal_force[:, i],
                    columns[:, i],
                    segment,
                    away[:, i],
                )
            )
    redundancy = max(1.0, 1.0 / (2.0 * cutoff * stride * period))
    return _SlowSamples(
        [StrutSamples.concatenate(parts) for parts in pieces if parts], count, failed, redundancy
    )


def near_turns(struts: StrutMotion, reach: float) -> NDArray[np.bool_]:
    """Return samples no more than `reach` samples away from where that drive turns around, shape (N, n)."""
    index = np.arange(len(struts))
    near = np.zeros(struts.rate.shape, dtype=bool)
    for i in range(struts.rate.shape[1]):
        turns = np.flatnonzero(np.diff(np.sign(struts.rate[:, i])) != 0)
        if turns.size:
            after = np.minimum(np.searchsorted(turns, index), turns.size - 1)
            before = np.maximum(after - 1, 0)
            near[:, i] = np.minimum(np.abs(turns[after] - index), np.abs(turns[before] - index)) <= reach
    return near
