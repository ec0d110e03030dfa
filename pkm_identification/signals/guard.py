"""The stream guard: lets no sample through that would harm the filters behind it.

It keeps the accepted samples on the drive's regular clock: a short hole (a dropped sample) is filled by a straight
line, a long one starts a new segment. The same compiled step serves the online stream and whole logs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pkm_identification.declared import check, declared
from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.drive import KnownForces
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel

ACCEPTED, NOT_FINITE, DUPLICATE, LATE, SPIKE, OUT_OF_LIMITS = range(6)
REJECTIONS = {
    NOT_FINITE: "not_finite",
    DUPLICATE: "duplicate",
    LATE: "late",
    SPIKE: "spike",
    OUT_OF_LIMITS: "out_of_limits",
}
CONTINUES, GAP, CLOCK_JUMP, START = range(4)
NEW_SEGMENT = {GAP: "gap", CLOCK_JUMP: "clock_jump", START: "start"}

# How far the sample rate may be off before it is worth a warning, and before nothing can be trusted.
RATE_WARNING, RATE_ERROR = 0.05, 0.20
DEFAULT_RATE_LIMIT = 2.0  # m/s, beyond any hexapod's drives; machines may state less
FILLED = 0.005  # s; what the platform does in it is next to a straight line
FILLED_PERIODS = 2  # from the sample before a lost one to the sample after it
# s^2: span (span + period) at 1 kHz. Below it, the change that inertia allows would be less than encoders' steps.
SHORTEST_CHANGE = 2e-6
MAX_LATE_RUN = 25  # so many late samples in a row are not stragglers: the clock was set back


@dataclass(frozen=True)
class GuardSettings:
    """Limits of the guard.

    Attributes
    ----------
    period : float
        Nominal sample period in s; 0 while it is not known.
    length_limits : tuple of float
        Shortest and longest strut in m.
    rate_limit : float
        Largest strut rate in m/s; a faster change is a spike.
    force_limit : float
        Largest strut force in N the drives can give; a larger one is a spike.
    acceleration_limit : float
        Largest strut acceleration in m/s^2 used to tell a spike from motion.
    max_gap : float
        Longest hole in s that is filled; a longer one starts a new segment. 0 until the period is known: then
        FILLED s, but at least the hole that one lost sample leaves.
    late_tolerance : float
        A stamp up to this many seconds before the newest is a straggler and dropped; an older one means that the
        clock jumped back, which starts a new segment.
    known : KnownForces or None
        What the machine file knows of its measured forces, for those who come after the guard (`known_forces`).
    """

    period: float = 0.0
    length_limits: tuple[float, float] = (0.0, np.inf)
    rate_limit: float = DEFAULT_RATE_LIMIT
    force_limit: float = np.inf
    acceleration_limit: float = 200.0
    max_gap: float = declared(
        0.0,
        "longest hole that is filled, a longer one starts a new segment; 0: 5 ms, or one sample",
        "s",
        0,
        1.0,
    )
    late_tolerance: float = declared(
        0.5, "stamps so far behind are stragglers; more is a clock jump", "s", 0, 60
    )
    known: KnownForces | None = None

    def __post_init__(self) -> None:
        check(self)
        if self.period and not self.max_gap:
            object.__setattr__(self, "max_gap", max(FILLED, FILLED_PERIODS * self.period))

    @classmethod
    def of(cls, machine: Machine, period: float | None = None, **changes: Any) -> GuardSettings:
        """Limits of a machine; raises as `resolved`."""
        return replace(cls().resolved(machine, period), **changes)

    def resolved(self, machine: Machine, period: float | None = None) -> GuardSettings:
        """These settings with a machine's limits; the period is the drive's unless given.

        Raises
        ------
        LogError
            If neither the machine nor the caller knows the sample period.
        """
        if period is None:
            if machine.drive is None:
                raise LogError(
                    f"machine '{machine.name}' has no drive.sample_rate and no sample period was given"
                )
            period = 1.0 / machine.drive.sample_rate
        return replace(
            self,
            period=period,
            length_limits=(float(machine.length_limits[0]), float(machine.length_limits[1])),
            # twice the stated rate: a limit is what the drive may do, not what noise on a difference may show
            rate_limit=2.0 * machine.rate_limit if machine.rate_limit else DEFAULT_RATE_LIMIT,
            force_limit=1.5 * machine.drive.force_limit if machine.drive else np.inf,
            known=machine.drive.known_forces if machine.drive else None,
        )


@dataclass(frozen=True)
class GuardedSample:
    """One sample on the regular clock; `filled` marks one made up to bridge a short hole."""

    time: float
    length: FloatArray
    force: FloatArray | None
    segment: int
    filled: bool


@dataclass(frozen=True)
class GuardedLog:
    """A whole log on the regular clock.

    Attributes
    ----------
    time : ndarray, shape (N,)
    length : ndarray, shape (N, 6)
    force : ndarray, shape (N, 6), or None
    segment : ndarray of int64, shape (N,)
    filled : ndarray of bool, shape (N,)
    counts : dict of str to int
        Samples accepted and filled, rejected by reason, segments begun by cause.
    first : dict of str to float
        Stamp in s at which each reason or cause was first met.
    period : float
        Sample period in s.
    imu, sensor : ndarray, shape (N, 6), or None
        Additional sensors' readings, as in `StrutLog`; not judged, NaN where they are.
    """

    time: FloatArray
    length: FloatArray
    force: FloatArray | None
    segment: NDArray[np.int64]
    filled: NDArray[np.bool_]
    counts: dict[str, int]
    first: dict[str, float]
    period: float
    imu: FloatArray | None = None
    sensor: FloatArray | None = None


# What the guard remembers, as one record: structured arrays cost a kernel's caller less than tuples with names.
MEMORY = np.dtype(
    [
        ("stamp", float),  # s, of the last sample accepted
        ("segment", np.int64),  # -1 before the first
        ("begun", np.bool_),  # whether there is a last sample
        ("length", float, 6),  # m, last accepted
        ("slope", float, 6),  # m/s, between the last two accepted
        ("slope_known", np.bool_),
        ("suspect", float, 6),  # m, the newest suspect
        ("suspect_stamp", float),  # s
        ("suspects", np.int64),  # in a row, that agree with each other
        ("late", np.int64),  # samples in a row
        ("strut", np.int64),  # to which the last rejection is due
    ]
)
# `GuardSettings` as the kernels take it
LIMITS = np.dtype(
    [
        ("period", float),  # s
        ("shortest", float),  # m
        ("longest", float),  # m
        ("rate", float),  # m/s
        ("force", float),  # N
        ("acceleration", float),  # m/s^2
        ("max_gap", float),  # s
        ("late_tolerance", float),  # s
    ]
)


@kernel
def _judge(time, length, force, has_force, memories, limit_rows):
    """Judge one sample: (verdict, how it continues, steps since the last sample).

    `memories` and `limit_rows` are arrays of one `MEMORY` and one `LIMITS`.
    """
    memory, limits = memories[0], limit_rows[0]
    last, slope, suspect = memory.length, memory.slope, memory.suspect
    period = limits.period
    if not np.isfinite(time):
        return NOT_FINITE, CONTINUES, 0
    for i in range(6):
        if not np.isfinite(length[i]) or (has_force and not np.isfinite(force[i])):
            memory.strut = i
            return NOT_FINITE, CONTINUES, 0
    begins = START
    if memory.begun:
        dt = time - memory.stamp
        if abs(dt) < 0.25 * period:
            return DUPLICATE, CONTINUES, 0
        begins = CONTINUES
        if dt < 0.0:
            memory.late += 1
            if dt >= -limits.late_tolerance and memory.late <= MAX_LATE_RUN:
                return LATE, CONTINUES, 0
            begins = CLOCK_JUMP
        elif dt > limits.max_gap + 0.5 * period:
            begins = GAP
    for i in range(6):
        if length[i] < limits.shortest or length[i] > limits.longest:
            memory.strut = i
            return OUT_OF_LIMITS, CONTINUES, 0
    if has_force:
        for i in range(6):
            if abs(force[i]) > limits.force:
                memory.strut = i
                return SPIKE, CONTINUES, 0
    steps = 1
    if begins == CONTINUES:
        dt = time - memory.stamp
        steps = max(1, int(np.floor(dt / period + 0.5)))
        span = steps * period
        allowed = limits.acceleration * max(span * (span + period), SHORTEST_CHANGE)
        for i in range(6):
            change = length[i] - last[i]
            bad = abs(change) > limits.rate * span
            if memory.slope_known:
                # what inertia allows beyond the straight continuation
                bad = bad or abs(change - slope[i] * span) > allowed
            if bad:
                # A spike stands alone. Samples that agree with each other but not with the past mean that the past
                # is wrong or the encoder has moved its zero: start again instead of locking out for ever.
                near = memory.suspects > 0
                for j in range(6):
                    near = near and abs(length[j] - suspect[j]) <= limits.rate * max(
                        time - memory.suspect_stamp, period
                    )
                memory.suspects = memory.suspects + 1 if near else 1
                memory.suspect_stamp = time
                for j in range(6):
                    suspect[j] = length[j]
                if memory.suspects * period <= max(limits.max_gap, 3.0 * period):
                    memory.strut = i
                    return SPIKE, CONTINUES, 0
                begins = GAP
                break
    memory.suspects = 0
    memory.late = 0
    if begins == CONTINUES:
        for i in range(6):
            slope[i] = (length[i] - last[i]) / (steps * period)
        memory.slope_known = True
    else:
        memory.segment += 1
        memory.slope_known = False
        steps = 1
    memory.stamp = time
    memory.begun = True
    for i in range(6):
        last[i] = length[i]
    return ACCEPTED, begins, steps


@kernel
def _guard_log(time, length, force, has_force, memories, limit_rows, judged):
    """Judge a whole log: verdict and beginning of each sample; indices kept, fills before each, its segment."""
    kept, fills, segment, verdicts, beginnings = judged
    count = 0
    for n in range(time.shape[0]):
        verdict, begins, steps = _judge(time[n], length[n], force[n], has_force, memories, limit_rows)
        verdicts[n] = verdict
        beginnings[n] = begins if verdict == ACCEPTED else CONTINUES
        if verdict == ACCEPTED:
            kept[count] = n
            fills[count] = steps - 1 if begins == CONTINUES else 0
            segment[count] = memories[0].segment
            count += 1
    return count


class StreamGuard:
    """Judges samples one by one and keeps them on a regular clock.

    Attributes
    ----------
    counts : dict of str to int
        What happened so far, by reason.
    last_rejection : tuple of (reason, text) or None
        Why the last sample was dropped, for a log line; None if it was not.
    """

    def __init__(self, settings: GuardSettings) -> None:
        self.settings = settings
        self._limits = np.array(
            [
                (
                    settings.period,
                    *settings.length_limits,
                    settings.rate_limit,
                    settings.force_limit,
                    settings.acceleration_limit,
                    settings.max_gap,
                    settings.late_tolerance,
                )
            ],
            dtype=LIMITS,
        )
        self.reset()

    def reset(self) -> None:
        """Forget everything, as if newly made."""
        self._memory = np.zeros(1, dtype=MEMORY)
        self._memory["segment"] = -1
        self._last_force = np.zeros(6)
        self._had_force = False
        self._rate = np.nan
        names = ["accepted", "filled", *REJECTIONS.values(), *NEW_SEGMENT.values()]
        self.counts = dict.fromkeys(names, 0)
        self.last_rejection: tuple[str, str] | None = None

    @property
    def segment(self) -> int:
        """Number of the present segment, -1 before the first sample."""
        return int(self._memory["segment"][0])

    @property
    def rate(self) -> float:
        """Measured sample rate in Hz, smoothed over about a second; NaN before it is known."""
        return 1.0 / self._rate if self._rate > 0 else float("nan")

    def step(self, time: float, length: FloatArray, force: FloatArray | None) -> list[GuardedSample]:
        """Judge one sample.

        Parameters
        ----------
        time : float
            The sample's own stamp in s.
        length : ndarray, shape (6,)
            m.
        force : ndarray, shape (6,), or None
            N.

        Returns
        -------
        list of GuardedSample
            Empty when the sample is dropped; the sample, preceded by fillers when it ends a short hole.
        """
        before, last = float(self._memory["stamp"][0]), self._memory["length"][0].copy()
        last_force = self._last_force
        has_force = force is not None
        verdict, begins, steps = _judge(
            time, length, last if force is None else force, has_force, self._memory, self._limits
        )
        if verdict != ACCEPTED:
            reason = REJECTIONS[verdict]
            self.counts[reason] += 1
            self.last_rejection = (reason, self._explain(verdict, time, length, force))
            return []
        self.last_rejection = None
        self.counts["accepted"] += 1
        samples = []
        had_force, self._had_force = self._had_force, has_force
        if begins == CONTINUES:
            self._follow_rate((time - before) / steps)
            for k in range(1, steps):
                part = k / steps
                samples.append(
                    GuardedSample(
                        before + part * (time - before),
                        last + part * (length - last),
                        last_force + part * (force - last_force) if force is not None and had_force else None,
                        self.segment,
                        True,
                    )
                )
            self.counts["filled"] += steps - 1
        else:
            self.counts[NEW_SEGMENT[begins]] += 1
        if force is not None:
            self._last_force = np.array(force, dtype=float)
        samples.append(
            GuardedSample(
                time,
                np.array(length, dtype=float),
                self._last_force if has_force else None,
                self.segment,
                False,
            )
        )
        return samples

    def _follow_rate(self, period: float) -> None:
        weight = min(1.0, self.settings.period)
        self._rate = period if np.isnan(self._rate) else self._rate + weight * (period - self._rate)

    def _explain(self, verdict: int, time: float, length: FloatArray, force: FloatArray | None) -> str:
        memory = self._memory[0]
        strut = int(memory["strut"])
        if verdict == NOT_FINITE:
            return f"stamp {time}" if not np.isfinite(time) else f"strut {strut + 1}: value is not finite"
        if verdict == DUPLICATE:
            return f"stamp {time:.6f} s was there already"
        if verdict == LATE:
            return f"stamp {time:.6f} s is {memory['stamp'] - time:.6f} s behind the newest"
        low, high = self.settings.length_limits
        if verdict == OUT_OF_LIMITS:
            hint = " (is it in mm?)" if low * 1e3 <= length[strut] <= high * 1e3 else ""
            return f"strut {strut + 1}: length {length[strut]:.6g} m is outside [{low:g}, {high:g}] m{hint}"
        if force is not None and abs(force[strut]) > self.settings.force_limit:
            return f"strut {strut + 1}: force {force[strut]:.6g} N is beyond {self.settings.force_limit:g} N"
        return (
            f"strut {strut + 1}: length jumps to {length[strut]:.6f} m from {memory['length'][strut]:.6f} m"
        )

    def guard(self, log: StrutLog) -> GuardedLog:
        """Judge a whole log, continuing from the present state with a new segment.

        Gives what `step` would give sample by sample, in a fraction of the time.
        """
        count = len(log)
        has_force = log.force is not None
        length = np.ascontiguousarray(log.length)
        force = np.ascontiguousarray(log.force) if has_force else np.zeros((1, 6)).repeat(count, 0)
        kept, fills, segment = (np.zeros(count, dtype=np.int64) for _ in range(3))
        verdicts, beginnings = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._memory["begun"] = False  # nothing crosses from one log to the next
        used = _guard_log(
            log.time, length, force, has_force, self._memory, self._limits,
            (kept, fills, segment, verdicts, beginnings),
        )  # fmt: skip
        kept, fills, segment = kept[:used], fills[:used], segment[:used]
        counts, first = {"accepted": used, "filled": int(fills.sum())}, {}
        events = [(verdicts, code, name) for code, name in REJECTIONS.items()]
        events += [(beginnings, code, name) for code, name in NEW_SEGMENT.items()]
        for codes, code, name in events:
            rows = np.nonzero(codes == code)[0]
            counts[name] = len(rows)
            if len(rows):
                first[name] = float(log.time[rows[0]])
        if counts["filled"]:
            first["filled"] = float(log.time[kept[np.nonzero(fills)[0][0]]])
        for name, number in counts.items():
            self.counts[name] += number
        # every kept sample is preceded by its fillers: position of each row between its two neighbours
        repeats = fills + 1
        owner = np.repeat(np.arange(used), repeats)
        start = np.cumsum(repeats) - repeats
        part = (np.arange(len(owner)) - start[owner] + 1) / repeats[owner]
        previous = np.maximum(owner - 1, 0)

        def between(values: FloatArray) -> FloatArray:
            values = values[kept]
            weight = part.reshape(-1, *([1] * (values.ndim - 1)))
            mixed = values[previous] + weight * (values[owner] - values[previous])
            whole = part == 1.0
            mixed[whole] = values[owner[whole]]
            return mixed

        return GuardedLog(
            time=between(log.time),
            length=between(length),
            force=between(force) if has_force else None,
            segment=segment[owner],
            filled=part < 1.0,
            counts=counts,
            first=first,
            period=self.settings.period,
            imu=None if log.imu is None else between(log.imu),
            sensor=None if log.sensor is None else between(log.sensor),
        )
