# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Faults that are put into a run (`run.Run`), its log, the true machine or the file; each with its causes.

A kind is a name, the causes that are right for it, and a function of a `trial.Trial`. Sizes are strong ones: some per
cent of the force, some thousandths of the machine's size, drawn between half and all of them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.signal import lfilter, lsim

from pkm_identification.mechanisms.friction import friction_force
from pkm_identification.numerics.arrays import FloatArray

from ..field.drawn_machines import Document
from .trial import FORCE, Trial

PLACE = 4e-3  # of the machine's size: joints, zeros
TURN = 0.02  # of a drive's size: a turn of its screw or gear

GAIN, DELAY, OFFSET = "force_gain", "force_delay", "force_offset"
ZERO, PITCH, PLACES = "coordinate_offset", "coordinate_scale", "geometry"
BODIES, ORDER, CHANGED = "bodies", "exchanged", "changed_during_log"
FRICTION, WRENCH, GRAVITY, COUPLED = "friction", "platform", "gravity", "coupled_drives"


Change = Callable[[Trial], Trial]
KINDS: dict[str, tuple[tuple[str, ...], Change]] = {}


def _kind(name: str, *causes: str) -> Callable[[Change], Change]:
    def keep(change: Change) -> Change:
        KINDS[name] = causes, change
        return change

    return keep


def _of_forces(name: str, causes: tuple[str, ...], change: Callable[[Trial, FloatArray], FloatArray]) -> None:
    KINDS[name] = causes, lambda trial: trial.with_log(force=change(trial, trial.measured_force()))


def _of_coordinates(
    name: str, causes: tuple[str, ...], change: Callable[[Trial, FloatArray], FloatArray]
) -> None:
    KINDS[name] = causes, lambda trial: trial.with_log(coordinate=change(trial, trial.measure().coordinate))


def _added(
    name: str, causes: tuple[str, ...], shape: Callable[[Trial], FloatArray], size: float = FORCE
) -> None:
    KINDS[name] = causes, lambda trial: trial.with_added(shape(trial), size)


def _shift(columns: FloatArray, samples: int) -> FloatArray:
    """Return columns that come so many samples late."""
    return columns[np.clip(np.arange(len(columns)) - samples, 0, len(columns) - 1)]


def _late(trial: Trial, seconds: float) -> int:
    return max(round(trial.share * seconds / trial.run.period), 1)


def _on(part: FloatArray, drive: int) -> FloatArray:
    """Return a column (N, n) of one drive alone."""
    return part * np.eye(part.shape[1])[drive]


def _ramp(trial: Trial) -> FloatArray:
    return np.linspace(-0.5, 0.5, len(trial.run.time))[:, None]


def _warming(trial: Trial) -> FloatArray:
    """Return what goes from 0 to about 1 with a time constant of a third of the log, (N, 1)."""
    time = trial.run.time
    return (1.0 - np.exp(-3.0 * time / time[-1]))[:, None]


# Forces as they are reported
_of_forces("gain of a drive", (GAIN,), lambda t, f: f * (1 + 0.1 * t.share * t.unit()))
_of_forces("gains of all drives", (GAIN,), lambda t, f: f * (1 + 0.06 * t.share * t.signs()))
_of_forces("common gain 4 %", (GAIN,), lambda t, f: f * (1 + 0.04 * t.share))
_of_forces("offset of a drive", (OFFSET,), lambda t, f: f + 0.3 * t.share * t.unit() * t.run.size)
_of_forces("offsets of all drives", (OFFSET,), lambda t, f: f + 0.15 * t.share * t.signs() * t.run.size)
_of_forces("forces late", (DELAY, "force_lag"), lambda t, f: _shift(f, _late(t, 6e-3)))
_of_forces("forces early", (DELAY, "force_lag"), lambda t, f: _shift(f, -_late(t, 6e-3)))
_of_forces("a drive late", (DELAY,), lambda t, f: np.where(t.unit() > 0, _shift(f, _late(t, 8e-3)), f))
_of_forces(
    "first-order lag", (DELAY, "force_lag"),
    lambda t, f: lfilter([t.run.period / (8e-3 * t.share)], [1, t.run.period / (8e-3 * t.share) - 1], f, axis=0),
)  # fmt: skip
_of_forces(
    "moving average", (DELAY, "force_lag"),
    lambda t, f: lfilter(np.full(_late(t, 0.02), 1 / _late(t, 0.02)), [1], f, axis=0),
)  # fmt: skip
_of_forces(  # as a share of what is usual of each channel: drives may have newtons and newton metres
    "cross-talk", (GAIN, "force_cross_talk"),
    lambda t, f: f + 0.08 * t.share * np.roll(f / t.run.size, 1, axis=1) * t.run.size,
)  # fmt: skip
_of_forces(
    "forces not linear", (GAIN, "force_square", "force_cube"),
    lambda t, f: f * (1 + 0.06 * t.share * np.abs(f) / t.run.size),
)  # fmt: skip
_of_forces(
    "saturating torque constant", (GAIN, "force_cube", "saturation"),
    lambda t, f: f * (1 - 0.02 * t.share * (f / t.run.size) ** 2),
)  # fmt: skip
_of_forces("clipped forces", ("saturation",), lambda t, f: np.clip(f, -1.2 * t.run.size, 1.2 * t.run.size))
_of_forces(
    "dead band of the current", ("force_dead_band", FRICTION, OFFSET),
    lambda t, f: np.sign(f) * np.maximum(np.abs(f) - 0.06 * t.share * t.run.size, 0),
)  # fmt: skip
_of_forces("sign of a drive", ("force_sign", GAIN), lambda t, f: f * (1 - 2 * t.unit()))
_of_forces("sign of all drives", ("force_sign", GAIN), lambda t, f: -f)
_of_forces("forces in lbf", ("force_unit", GAIN), lambda t, f: f / 4.4482216)
# the drives' constants, N or N m per A, and gears: from 8 to 300
_of_forces("currents", ("force_unit", GAIN), lambda t, f: f / t.random.uniform(2.0, 17.0) ** 2)
_of_forces("two forces exchanged", (ORDER,), lambda t, f: f[:, _swap(t.count, t.drive)])
_of_forces("forces numbered from the next drive", (ORDER,), lambda t, f: np.roll(f, 1, axis=1))
_of_forces("unsigned forces", ("force_sign", GAIN), lambda t, f: np.abs(f))
_of_forces("gain drifts", ("gain_drift", GAIN, CHANGED), lambda t, f: f * (1 + 0.06 * t.share * _ramp(t)))
_of_forces(
    "offset drifts",
    ("offset_drift", OFFSET, CHANGED),
    lambda t, f: f + 0.15 * t.share * t.run.size * _ramp(t),
)
_of_forces("hysteresis of the sensors", (FRICTION,), lambda t, f: f + _play(f, 0.05 * t.share * t.run.size))
_of_forces(
    "mains hum at 8 Hz", ("disturbance",),
    lambda t, f: f + 0.05 * t.share * t.run.size * np.sin(2 * np.pi * 8.0 * t.run.time)[:, None],
)  # fmt: skip
_of_forces(
    "forces lost now and then", ("lost",),
    lambda t, f: np.where(t.random.random((len(f), 1)) < 0.01 * t.share, 0.0, f),
)  # fmt: skip


def _swap(count: int, drive: int) -> NDArray[np.signedinteger]:
    order = np.arange(count)
    other = (drive + 1) % count
    order[[drive, other]] = other, drive
    return order


def _play(values: FloatArray, width: FloatArray) -> FloatArray:
    """Return how far values (N, n) lag behind themselves in a play of a width (n,), less the mean."""
    found, at = np.empty_like(values), values[0].copy()
    for row, value in enumerate(values):
        at = np.clip(at, value - width, value + width)
        found[row] = at - value
    return found


# Coordinates and clocks as they are reported
_of_coordinates("zero of a drive", (ZERO, PLACES), lambda t, q: q + PLACE * t.share * t.unit() * _scale(t))
_of_coordinates(
    "pitch of a drive", (PITCH, ZERO), lambda t, q: q + 0.03 * t.share * t.unit() * (q - _zeros(t))
)
_of_coordinates("pitch of all drives", (PITCH, ZERO), lambda t, q: q + 0.02 * t.share * (q - _zeros(t)))
_of_coordinates(
    "play between encoder and drive", (FRICTION, "backlash", "compliance"),
    lambda t, q: q + _play(q, 2e-3 * t.share * _scale(t)),
)  # fmt: skip
_of_coordinates(
    "counts lost", ("lost_counts", ZERO),
    lambda t, q: q + PLACE * t.share * t.unit() * _scale(t) * (t.run.time > 0.5 * t.run.time[-1])[:, None],
)  # fmt: skip
_of_coordinates(
    "error within a turn", ("pitch_error", "friction_position"),
    lambda t, q: q + 2e-4 * t.share * _scale(t) * np.sin(2 * np.pi * q / (TURN * _scale(t))),
)  # fmt: skip
_of_coordinates("two coordinates exchanged", (ORDER,), lambda t, q: q[:, _swap(t.count, t.drive)])
_of_coordinates("coordinates late", (DELAY, "force_lag"), lambda t, q: _shift(q, _late(t, 6e-3)))
KINDS["clock 1 % slow"] = ("time_base",), lambda t: t.with_log(time=t.measure().time * (1 + 0.01 * t.share))


@_kind("everything numbered backwards", ORDER)
def _backwards(trial: Trial) -> Trial:
    """Friction is of the drive that the log calls so: of a machine whose drives are alike nothing tells them apart."""
    truth = copy.deepcopy(trial.truth)
    for name, value in truth.get("friction", {}).items():
        truth["friction"][name] = value[::-1] if isinstance(value, list) else value
    log = trial.measure()
    changed = trial.with_log(coordinate=log.coordinate[:, ::-1], force=trial.measured_force()[:, ::-1])
    return replace(changed, truth=truth)


def _zeros(trial: Trial) -> FloatArray:
    return np.array([drive.zero for drive in trial.run.machine.drives])


def _scale(trial: Trial) -> FloatArray:
    """Return a large change (n,) of each drive's coordinate."""
    return np.ptp(trial.run.motion.coordinate, axis=0)


# Forces that act
_added(
    "constant force on the platform", (WRENCH,), lambda t: t.run.push(np.ones_like(t.run.places[0]) * _way(t))
)
_added("spring on the platform", (WRENCH,), lambda t: t.run.push(-t.run.places[0] * np.abs(_way(t))))
_added(
    "damper on the platform", (WRENCH, FRICTION),
    lambda t: t.run.push(-np.gradient(t.run.places[0], t.run.period, axis=0) * np.abs(_way(t))),
)  # fmt: skip


def _way(trial: Trial) -> FloatArray:
    return trial.random.standard_normal(trial.run.places[0].shape[1:])


def _appended(trial: Trial, frequency: float, damping: float) -> FloatArray:
    """Return what a mass on springs does to the drives (N, n), beside being one with the platform."""
    return trial.run.push(-_swing(trial, trial.run.places[1], frequency, damping))


def _swing(trial: Trial, acceleration: FloatArray, frequency: float, damping: float) -> FloatArray:
    """Return how a mass on springs is accelerated (N, w) relative to what it hangs on, that having an acceleration."""
    w = 2 * np.pi * frequency
    system = ([1.0, 0.0, 0.0], [1.0, 2 * damping * w, w * w])
    return np.stack([lsim(system, -one, trial.run.time)[1] for one in acceleration.T], axis=1)


_added("mass on a spring, 9 Hz", ("platform", BODIES), lambda t: _appended(t, 9.0, 0.05), 0.03)
_added("sloshing mass, 1.5 Hz", ("platform", BODIES), lambda t: _appended(t, 1.5, 0.03), 0.03)
_added(
    "floor that shakes", ("disturbance", "gravity"),
    lambda t: t.run.push(np.sin(2 * np.pi * 4.3 * t.run.time)[:, None] * _way(t)), 0.03,
)  # fmt: skip


@_kind("motors' inertia", "motor_inertia", BODIES)
def _motors(trial: Trial) -> Trial:
    return trial.with_added(trial.run.motion.acceleration * _per_rate(trial), 0.1)


def _per_rate(trial: Trial) -> FloatArray:
    """Return what makes unlike drives' motion alike, (n,)."""
    return trial.run.size / np.std(trial.run.motion.rate, axis=0)


def _rate(trial: Trial) -> FloatArray:
    """Return rates (N, n) in units of their rms."""
    return trial.run.motion.rate / np.std(trial.run.motion.rate, axis=0)


def _centred(columns: FloatArray) -> FloatArray:
    return columns - columns.mean(axis=0)


def _side(trial: Trial) -> FloatArray:
    return np.tanh(20 * _rate(trial))


def _breakaway(trial: Trial) -> FloatArray:
    """Return friction (N, n) that falls off over .07 to .4 of the rms rate."""
    width = np.exp(trial.random.uniform(np.log(0.07), np.log(0.4)))
    return trial.run.size * _side(trial) * np.exp(-((_rate(trial) / width) ** 2))


_added("quadratic friction", (FRICTION,), lambda t: t.run.size * _rate(t) * np.abs(_rate(t)))
_added("asymmetric friction", (FRICTION, OFFSET), lambda t: t.run.size * np.abs(_side(t)) * t.signs())
_added("friction by load", (FRICTION,), lambda t: np.abs(t.run.rigid) * _side(t))
_added(
    "friction by position", (FRICTION,),
    lambda t: t.run.size * _side(t) * _centred(t.run.motion.coordinate) / _scale(t),
)  # fmt: skip
_added("Stribeck friction", (FRICTION,), _breakaway, 0.03)
_added(
    "friction warms up", ("changed_during_log", FRICTION, "gain_drift"),
    lambda t: -(t.run.friction + 0.02 * t.run.size * _rate(t)) * _centred(_warming(t)), 0.03,
)  # fmt: skip
_added("friction along the platform's way", (FRICTION, WRENCH, "joint_friction"), lambda t: t.run.push(
    -np.tanh(np.gradient(t.run.places[0], t.run.period, axis=0) / 3e-3)
))  # fmt: skip
_added("friction of inner joints", (FRICTION, "joint_friction"), lambda t: _rub(t, "coulomb"))
_added("inner joints full of grease", (FRICTION, "joint_friction"), lambda t: _rub(t, "viscous"))


def _rub(trial: Trial, coefficient: str) -> FloatArray:
    """Return forces (N, n) against friction of all joints that no drive moves, some of which rub more."""
    run = trial.run
    rubbing = run.machine.with_joint_friction()
    if rubbing is None:
        raise RuntimeError("the file has friction of inner joints")
    names = rubbing.basis.names
    own = [k for k, name in enumerate(names) if name not in run.machine.basis.names and coefficient in name]
    if not own:
        raise RuntimeError("there are no inner joints")
    sizes = trial.random.uniform(0.2, 1.0, len(own))
    motion = rubbing.compute_motion(run.motion.coordinate, run.motion.rate, run.motion.acceleration)
    return rubbing.compute_regressor(motion, np.eye(len(names))[:, own] @ sizes[:, None])[:, :, 0]


_added(
    "cogging", ("cogging", "friction_position"),
    lambda t: t.run.size * np.sin(2 * np.pi * t.run.motion.coordinate / (TURN * _scale(t))), 0.03,
)  # fmt: skip


@_kind("LuGre friction", FRICTION)
def _lugre(trial: Trial) -> Trial:
    """Bristles in place of the law's transition and its sign."""
    run = trial.run
    rates, coulomb = run.motion.rate, np.array([float(law.coulomb[0]) for law in run.machine.friction])
    travel = 2e-3 * trial.share * _scale(trial)
    bristle, found = np.zeros(trial.count), np.empty_like(rates)
    stribeck = 0.1 * np.std(rates, axis=0)
    for row, rate in enumerate(rates):
        most = travel * (1.0 + 0.3 * np.exp(-((rate / stribeck) ** 2)))
        grow = np.abs(rate) / most  # dz/dt = v - |v| / most z, exact over a sample
        steady = np.sign(rate) * most
        bristle = steady + (bristle - steady) * np.exp(-grow * run.period)
        found[row] = coulomb * bristle / travel
    viscous = np.array([float(law.viscous[0]) for law in run.machine.friction])
    return replace(trial, run=run.with_force(found + viscous * rates - run.friction))


@_kind("heat of the motors lowers their torque", "gain_drift", GAIN, CHANGED)
def _heat(trial: Trial) -> Trial:
    log, run = trial.measure(), trial.run
    power = (run.force / run.size) ** 2
    tau = 0.4 * run.time[-1]

    def slope(t: float, heat: FloatArray) -> FloatArray:
        return (power[min(int(t / run.period), len(power) - 1)] - heat) / tau

    heat = solve_ivp(
        slope, (0, run.time[-1]), np.zeros(trial.count), "DOP853", t_eval=run.time, max_step=0.05, rtol=1e-5
    ).y.T
    return trial.with_log(force=log.force * (1 + 0.08 * trial.share * heat))


@_kind("load taken up half-way", CHANGED, BODIES)
def _load(trial: Trial) -> Trial:
    late = (trial.run.time > 0.5 * trial.run.time[-1])[:, None]
    platform = trial.run.places[1] - np.r_[np.zeros(trial.run.places[1].shape[1] - 1), -9.81]
    return trial.with_added(trial.run.push(-platform) * late, 0.1)


# The machine, and what its file says of it
@_kind("gravity tilted", GRAVITY)
def _tilt(trial: Trial) -> Trial:
    gravity = np.array([float(x) for x in trial.truth.get("gravity", [0, 0, -9.81])])
    across = np.cross(gravity, [0.3, 0.5, 0.8])
    tilted = gravity + 0.05 * trial.share * np.linalg.norm(gravity) * across / np.linalg.norm(across)
    return trial.with_truth({**trial.truth, "gravity": tilted.tolist()})


@_kind("gravity of another size", GRAVITY, GAIN)
def _heavier(trial: Trial) -> Trial:
    gravity = np.array([float(x) for x in trial.truth.get("gravity", [0, 0, -9.81])])
    return trial.with_truth({**trial.truth, "gravity": (gravity * (1 + 0.05 * trial.share)).tolist()})


def _move(trial: Trial, names: list[str], size: float) -> Trial:
    """Return the trial of a machine some of whose joints are elsewhere by so much of its size."""
    machine = trial.run.machine
    paths = [path for name in names for path in machine.joint_places[name]]
    step = size * trial.share * machine.size
    changes = {path: float(step * trial.random.standard_normal()) for path in paths}
    return replace(trial, run=trial.run.with_machine(machine.with_changes(changes)))


@_kind("a joint elsewhere", PLACES, ZERO)
def _one_joint(trial: Trial) -> Trial:
    names = list(trial.run.machine.joint_places)
    return _move(trial, [names[trial.random.integers(len(names))]], 2 * PLACE)


@_kind("all joints elsewhere", PLACES, ZERO)
def _all_joints(trial: Trial) -> Trial:
    return _move(trial, list(trial.run.machine.joint_places), 0.5 * PLACE)


def _of_bodies(document: Document) -> list[Any]:
    struts = document.get("struts", [document["strut"]] if "strut" in document else [])
    bodies = [strut[body] for strut in struts for body in ("body_b", "body_e")]
    return bodies if struts else list(document["bodies"].values())


@_kind("centres of mass of the file 25 % off", BODIES)
def _centres(trial: Trial) -> Trial:
    file = copy.deepcopy(trial.file)
    for body, sign in zip(_of_bodies(file), np.resize([1, -1], 99), strict=False):
        center = body.get("center_of_mass")
        if center is not None:
            factor = float(1 + 0.25 * trial.share * sign)
            body["center_of_mass"] = (
                [f"({x})*{factor}" for x in center] if isinstance(center, list) else center * factor
            )
    return replace(trial, file=file)


@_kind("masses of the file 3 times off", BODIES)
def _masses(trial: Trial) -> Trial:
    file = copy.deepcopy(trial.file)
    for body in _of_bodies(file):
        for key in ("mass", "inertia", "parameters"):
            if key in body:
                body[key] = _times(body[key], 1 / (1 + 2 * trial.share))
    return replace(trial, file=file)


def _times(value: Any, factor: float) -> Any:
    if isinstance(value, list):
        return [_times(one, factor) for one in value]
    return f"({value})*{factor}" if isinstance(value, str) else value * factor


@_kind("drives with compliance", "compliance", ZERO)
def _yielding(trial: Trial) -> Trial:
    log = trial.measure()
    way = 2e-3 * trial.share * _scale(trial) * trial.run.force / trial.run.size
    return trial.with_log(coordinate=log.coordinate + way)


def _couple(trial: Trial, of_motors: bool) -> Trial:
    """Return the trial whose last motor turns with two joints, its log that of the motors or that of the joints."""
    run = trial.run
    if [drive.unit for drive in run.machine.drives[-2:]] != ["rad", "rad"]:
        raise RuntimeError("no two drives that turn")
    sign = float(trial.random.choice([-1.0, 1.0]))
    rate, law = run.motion.rate, run.machine.friction[-1]
    friction = friction_force(rate[:, -1:] + sign * rate[:, -2:-1], law)[:, 0]
    force = np.zeros_like(run.added)
    force[:, -1] = friction - run.friction[:, -1]
    force[:, -2] = -sign * run.rigid[:, -1] if of_motors else sign * friction
    trial = replace(trial, run=run.with_force(force))
    if not of_motors:
        return trial
    coordinate = trial.measure().coordinate.copy()
    coordinate[:, -1] += sign * coordinate[:, -2]
    file = copy.deepcopy(trial.file)
    list(file["drives"].values())[-1].pop("limits", None)  # those of the joint are none of the motor
    return replace(trial, file=file).with_log(coordinate=coordinate)


@_kind("a motor that turns with two joints, motors logged", COUPLED)
def _(trial: Trial) -> Trial:
    return _couple(trial, True)


@_kind("a motor that turns with two joints, joints logged", COUPLED)
def _(trial: Trial) -> Trial:
    return _couple(trial, False)


@_kind("mass on a spring that gives one way, 6 Hz", "platform", BODIES)
def _give_one_way(trial: Trial) -> Trial:
    way = _way(trial) / np.sqrt(trial.run.places[0].shape[1])
    away = _swing(trial, (trial.run.places[1] @ way)[:, None], 6.0, 0.05)
    return trial.with_added(trial.run.push(-away * way), 0.03)


@_kind("load of a drive on a spring, 5 Hz", "drive_resonance", "platform_resonance")
def _swing_drive(trial: Trial) -> Trial:
    return trial.with_added(_swing(trial, trial.run.motion.acceleration, 5.0, 0.05) * trial.unit(), 0.03)


# behind all others, whose numbers draw what is spoilt
_added("viscous friction by direction", (FRICTION,), lambda t: t.run.size * np.abs(_rate(t)) * t.unit())


@_kind("each drive's friction reverses at a rate of its own", FRICTION)
def _other_transitions(trial: Trial) -> Trial:
    """The law's transition is up to ten times as sharp, or eight times as soft."""
    run = trial.run
    factors = np.exp(trial.random.uniform(np.log(0.1), np.log(8.0), trial.count) * trial.share)
    laws = [
        one.changed(transition_rate=factor * one.transition_rate)
        for one, factor in zip(run.machine.friction, factors.tolist(), strict=True)
    ]
    found = [friction_force(run.motion.rate[:, k : k + 1], law)[:, 0] for k, law in enumerate(laws)]
    return replace(trial, run=run.with_force(np.stack(found, axis=1) - run.friction))


@_kind("Stribeck friction of one drive", FRICTION)
def _stribeck_of_one(trial: Trial) -> Trial:
    return trial.with_added(_breakaway(trial) * trial.unit(), 0.03)
