# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Laws of control compared on one machine with its drives: responses by axis, a load that is put on, and another load.

Every law moves the whole simulated machine. A sum of sines along each axis shows the closed loop from the wanted place
to the true one; noise of the same form on what a law sees shows how far its loop is from instability; a machine that is
heavier than the law believes, let go from rest, shows how stiff it holds and how its bandwidth changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pkm_identification.control.laws.drive_laws import FORCE_LAWS, PLACE_LAWS, Wanted
from pkm_identification.control.pid import ControlSettings
from pkm_identification.errors import PkmError, SettingsError
from pkm_identification.mechanisms.actuators.servo import Servo
from pkm_identification.numerics.arrays import FloatArray

from .frequency_response import bandwidths
from .law_runs import FORCE_LOOP, TUNED, WORKSPACE, LawRun, LawRunner
from .subject import Subject

MULTIPLES = np.array(
    [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32]
)  # of the lowest frequency, which is a part of w
PARTS = 8.0  # of the wanted bandwidth in the lowest frequency; the highest is four times the bandwidth
TRACKING = 2  # multiple, a quarter of the bandwidth, at which tracking is told
SETTLING = 0.5  # of the lowest sine's period, before anything is measured
HOLDING = 0.6  # s, in which a load that is put on is looked at
LOADING = 0.5  # of the force at which a law's mass and bandwidth would give way by the amplitude


@dataclass(frozen=True)
class LawResult:
    """What a law does.

    Attributes
    ----------
    name : str
    bandwidth : dict of str to float or None
        -3 dB by axis, Hz; None where it is not seen.
    tracking : dict of str to float
        Error along an axis at a quarter of the wanted bandwidth, % of the amplitude.
    crosstalk : dict of str to float
        Largest motion of the drives aside of an axis over that along it, %, over all sines.
    stiffness : dict of str to float
        Ratio of a force that is put on along an axis to how far the machine gives way along it, N/m (N m/rad).
    margin : float or None
        Modulus margin of the loop, 0 to 1: distance of its open loop from -1.
    loaded_bandwidth : float or None
        -3 dB along the first axis with the payload, Hz.
    why_not : str
        Why it cannot be used; empty where it can.
    """

    name: str
    bandwidth: dict[str, float | None]
    tracking: dict[str, float]
    crosstalk: dict[str, float]
    stiffness: dict[str, float] = field(default_factory=dict)
    margin: float | None = None
    loaded_bandwidth: float | None = None
    why_not: str = ""


def choose_bandwidth(subject: Subject) -> float:
    """Return the bandwidth in Hz of the file's loops, the median of its servos', or the simulator's for forces.

    Raises
    ------
    SettingsError
        If drives with valves have no loop.
    """
    control = subject.mechanism.description.control
    if control is not None and control.computed_torque is not None:
        return float(np.sqrt(control.computed_torque.position_gain) / (2.0 * np.pi))
    if control is not None and control.drives[0].velocity is not None:
        return control.drives[0].position.gain / (2.0 * np.pi)
    loops = [one.gain_of_loop for one in subject.actuators if isinstance(one, Servo) and one.holds_position]
    if loops:
        return float(np.median(loops)) / (2.0 * np.pi)
    if not any(one.has_valve for one in subject.actuators):
        return ControlSettings().bandwidth
    raise SettingsError(
        "--bandwidth: must be given in Hz for this machine: its file has no position loop to take it from"
    )


def name_laws(subject: Subject) -> tuple[str, ...]:
    """Return the names of the laws that are compared on a machine, the first as its file tunes it."""
    valves = any(one.has_valve for one in subject.actuators)
    return (TUNED, *((*PLACE_LAWS[1:], FORCE_LOOP) if valves else FORCE_LAWS), WORKSPACE)


def find_carrier(subject: Subject) -> tuple[str, float]:
    """Return the path of the mass that a payload is added to, of the platform or the last body, and its value in kg."""
    bodies = [body.name for body in subject.mechanism.description.bodies]
    masses = np.asarray(subject.mechanism.parameters[:, 0], dtype=float)
    name = subject.mechanism.description.pose or bodies[int(np.flatnonzero(masses)[-1])]
    path = f"bodies.{name}.mass" if subject.position is None else "platform.mass"
    return path, float(masses[bodies.index(name)])


def compare_laws(
    subject: Subject,
    loaded: Subject,
    axes: Sequence[str],
    bandwidth: float,
    amplitude: float,
    names: Sequence[str] | None = None,
) -> tuple[LawResult, ...]:
    """Return what laws do on a machine.

    Parameters
    ----------
    subject, loaded : Subject
        As the laws believe, and heavier.
    axes : sequence of str
    bandwidth : float
        Hz, wanted of the laws that have a model.
    amplitude : float
        m or rad, of the sum of sines.
    names : sequence of str, optional
        Of `name_laws`; all unless given.
    """
    chosen = name_laws(subject) if names is None else names
    return tuple(_Bench(name, subject, loaded, axes, bandwidth, amplitude).assess() for name in chosen)


def measure_law(
    name: str, subject: Subject, axis: str, bandwidth: float, amplitude: float
) -> tuple[FloatArray, np.ndarray]:
    """Return frequencies (F,) in Hz and complex gains (F,) along an axis of a machine under one law."""
    bench = _Bench(name, subject, subject, (axis,), bandwidth, amplitude)
    return bench.frequency, bench._along(bench._gains(subject, 0), 0)


class _Bench:
    """One law on a machine."""

    def __init__(
        self,
        name: str,
        subject: Subject,
        loaded: Subject,
        axes: Sequence[str],
        bandwidth: float,
        amplitude: float,
    ) -> None:
        self.name, self.axes, self.amplitude = name, tuple(axes), amplitude
        self.subject, self.loaded = subject, loaded
        self._runner = LawRunner(name, subject, 2.0 * np.pi * bandwidth)
        self.w = 2.0 * np.pi * bandwidth
        self.frequency = bandwidth / PARTS * MULTIPLES
        self.along = np.array([subject.direction(axis) for axis in axes])
        # rates alike: a drive's force is not used up by the highest
        self.sizes = amplitude / MULTIPLES / np.sum(1.0 / MULTIPLES)
        # Schroeder's phases: a sum of sines without a high peak
        self.phase = -np.pi * np.arange(len(MULTIPLES)) ** 2 / len(MULTIPLES)

    def assess(self) -> LawResult:
        """Run all there is to run; a law that cannot be used says why."""
        try:
            gains = [self._gains(self.subject, k) for k in range(len(self.axes))]
            first = self._along(self._gains(self.loaded, 0), 0)
            stiffness = {axis: self._stiffness(k) for k, axis in enumerate(self.axes)}
            margin = self._margin(self._along(gains[0], 0))
        except PkmError as reason:
            return LawResult(self.name, {}, {}, {}, why_not=str(reason).splitlines()[0])
        own = {axis: self._along(gains[k], k) for k, axis in enumerate(self.axes)}
        return LawResult(
            self.name,
            {axis: bandwidths(self.frequency, gain)[0] for axis, gain in own.items()},
            {axis: 100.0 * float(abs(1.0 - gain[MULTIPLES == TRACKING][0])) for axis, gain in own.items()},
            {axis: self._aside(gains[k], k) for k, axis in enumerate(self.axes)},
            stiffness,
            margin,
            bandwidths(self.frequency, first)[0],
        )

    def _along(self, gains: np.ndarray, axis: int) -> np.ndarray:
        """Gains (F,) along an axis of those of the drives (F, n)."""
        along = self.along[axis]
        return np.asarray(gains @ along / (along @ along))

    def _aside(self, gains: np.ndarray, axis: int) -> float:
        """Return largest part in % of the drives' gains (F, n) that is not along an axis."""
        along = self.along[axis]
        rest = gains - np.multiply.outer(self._along(gains, axis), along)
        return 100.0 * float(np.linalg.norm(rest, axis=1).max() / np.linalg.norm(along))

    def _sum(self, t: float | FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Sum of sines, its rate and acceleration, swelling before it is measured."""
        w, size = 2.0 * np.pi * self.frequency, self.sizes
        angle = np.multiply.outer(t, w) + self.phase
        value, rate, second = np.sin(angle) @ size, np.cos(angle) @ (size * w), -np.sin(angle) @ (size * w**2)
        end = SETTLING / self.frequency[0]
        s = np.clip(np.asarray(t) / end, 0.0, 1.0)
        swell, slope, curvature = (
            s**2 * (3 - 2 * s),
            6 * s * (1 - s) / end,
            6 * (1 - 2 * s) / end**2 * ((s > 0) & (s < 1)),
        )
        return (
            swell * value,
            swell * rate + slope * value,
            swell * second + 2 * slope * rate + curvature * value,
        )

    def _gains(self, subject: Subject, axis: int) -> np.ndarray:
        """First harmonics (F, n) of the drives for the sum of sines along an axis."""
        along, home = self.along[axis], self.subject.home
        for sign in (1.0, -1.0):
            subject.check_reach(
                sign * self.amplitude * along, "--amplitude", f"{sign * self.amplitude:g} along an axis"
            )

        def wanted(t: float) -> Wanted:
            value, rate, second = self._sum(t)
            return Wanted(home + along * value, along * rate, along * second)

        run = self._runner.run(subject, wanted, (1.0 + SETTLING) / self.frequency[0])
        return self._harmonics(run, run.drive - home)

    def _harmonics(self, run: LawRun, values: FloatArray) -> np.ndarray:
        """Complex amplitudes (F, m) over those of the sum of sines, over its whole period, a constant apart."""
        used = run.time >= SETTLING / self.frequency[0]
        angle = 2.0 * np.pi * np.multiply.outer(run.time[used], self.frequency) + self.phase
        columns = np.hstack([np.sin(angle), np.cos(angle), np.ones((len(angle), 1))])
        found = np.linalg.lstsq(columns, values[used], rcond=None)[0]
        count = len(MULTIPLES)
        return (found[:count] + 1j * found[count : 2 * count]) / self.sizes[:, None]

    def _stiffness(self, axis: int) -> float:
        """Put a force along an axis on the machine at rest at home."""
        home, along = self.subject.home, self.along[axis]
        still = Wanted(home, np.zeros_like(home), np.zeros_like(home))
        force, back = self.subject.resolve_axis(self.axes[axis])
        model = self._runner.model
        coulomb = np.array([one.friction.coulomb for one in self.subject.actuators])
        own = np.array(self.subject.mechanism.description.friction.coulomb, dtype=float)
        strong = np.diag(model.home_mass) * self.w**2 * self.amplitude * np.abs(along).max()
        size = float(np.max(LOADING * strong + 2.0 * (coulomb + own)) / np.abs(force).max())
        run = self._runner.run(self.subject, lambda _: still, HOLDING, load=size * force)
        return size / max(float(np.abs((run.drive - home) @ back).max()), 1e-12)

    def _margin(self, gain: np.ndarray) -> float | None:
        if self._runner.acts_on_shown_places:
            home = self.subject.home
            still = Wanted(home, np.zeros_like(home), np.zeros_like(home))
            run = self._runner.run(
                self.subject,
                lambda _: still,
                (1.0 + SETTLING) / self.frequency[0],
                noise=lambda t: self.along[0] * self._sum(t)[0],
            )
            gain = -self._along(self._harmonics(run, run.drive - home), 0)
        elif self._feeds_forward():
            return None
        return float(1.0 / np.abs(1.0 - gain).max())

    def _feeds_forward(self) -> bool:
        """Return whether the wanted motion is fed forward, so that how it is followed says nothing of the loop."""
        control = self.subject.mechanism.description.control
        of_file = control is not None and any(one.position.rate_feed_forward for one in control.drives)
        return of_file or self.name == "force feed-forward"
