# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Input validation of a stream, sample by sample, and of whole logs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pkm_identification.machines.contract import Drive
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.large_arrays import GrowingArray, row_blocks

from .sample_checks import (
    ACCELERATION,
    ACCEPTED,
    AHEAD,
    CLOCK,
    CONTINUES,
    DUPLICATE,
    FORCE,
    LAST,
    LATE,
    MEMORY,
    NEW_SEGMENT,
    NOT_FINITE,
    OUT_OF_LIMITS,
    RATE,
    REJECTIONS,
    REMEMBERED,
    SPIKE,
    STAYED_AHEAD,
    check_sample,
    check_samples,
)
from .samples import ValidatedLog, ValidatedSample
from .settings import LARGEST_FORCE, ValidationSettings

# What a drive may show where its file says nothing, by s and s^2 of `Drive.size`: a tenth of the stroke in 12 ms, and
# what at 1 kHz is a spike of .2 % of the stroke. A drive that is livelier makes two suspicious samples in a row, and a
# spike stands alone: then it may show so many times as much.
RATE_OF_SIZE, ACCELERATION_OF_SIZE, LIVELIER = 80.0, 8000.0, 4.0


def stream_limits(drives: tuple[Drive, ...]) -> FloatArray:
    """Return what drives may show, (LIMITED, n), as kernels take it: as stated, else by their size."""
    return np.array(
        [
            [one.lowest for one in drives],
            [one.highest for one in drives],
            [_read_stated(one.rate_limit, RATE_OF_SIZE * one.size) for one in drives],
            [_read_stated(one.acceleration_limit, ACCELERATION_OF_SIZE * one.size) for one in drives],
            [min(one.force_limit, LARGEST_FORCE) for one in drives],
            [np.isfinite(one.rate_limit) for one in drives],
        ],
        dtype=float,
    )


def _read_stated(limit: float, otherwise: float) -> float:
    return limit if np.isfinite(limit) else otherwise


class InputValidator:
    """Judges samples of n drives one by one and keeps them on a regular clock.

    Parameters
    ----------
    settings : ValidationSettings
        With drives.
    limits : ndarray, shape (LIMITED, n), optional
        What drives may show, as kernels take it; else as the drives say.

    Attributes
    ----------
    counts : dict of str to int
        What happened so far, by reason.
    last_rejection : tuple of (reason, text) or None
        Why the last sample was dropped, for a log line; None if it was not.
    stepped : tuple of (int, float) or None
        The drive (from 0) whose coordinate the last sample shows in another place to stay, and by how much: the samples
        dropped before it agreed with each other and with it.
    """

    def __init__(self, settings: ValidationSettings, limits: FloatArray | None = None) -> None:
        self.settings = settings
        clock = np.array([(settings.period, settings.max_gap, settings.late_tolerance)], dtype=CLOCK)
        self._drives = settings.drives
        self._limits = stream_limits(self._drives) if limits is None else limits
        stated = [[one.rate_limit, one.acceleration_limit] for one in self._drives]
        self._livelier = np.where(np.isfinite(stated), 1.0, LIVELIER)  # (n, 2)
        self._rules = clock, self._limits.copy()
        self.reset()

    def reset(self) -> None:
        """Forget everything, as if newly made."""
        self._memory = np.zeros(1, dtype=MEMORY)
        self._memory["segment"] = -1
        self._past = np.zeros((REMEMBERED, len(self._drives)))
        self._rules[1][:] = self._limits
        # what every sample asks for: a record's field takes longer to find than to read
        self._segment = self._memory["segment"]
        self._last: ValidatedSample | None = None
        names = ["accepted", "filled", *REJECTIONS.values(), *NEW_SEGMENT.values()]
        self.counts = dict.fromkeys(names, 0)
        self.last_rejection: tuple[str, str] | None = None
        self.stepped: tuple[int, float] | None = None

    @property
    def segment(self) -> int:
        """Number of the present segment, -1 before the first sample."""
        return self._segment.item()

    def step(self, time: float, coordinate: FloatArray, force: FloatArray | None) -> list[ValidatedSample]:
        """Judge one sample.

        Parameters
        ----------
        time : float
            The sample's own stamp in s.
        coordinate : ndarray, shape (n,)
            m or rad.
        force : ndarray, shape (n,), or None
            N or N m.

        Returns
        -------
        list of ValidatedSample
            Empty when the sample is dropped; the sample, preceded by fillers when it ends a short hole.
        """
        has_force = force is not None
        self.stepped = None
        verdict, begins, steps = check_sample(
            time,
            coordinate,
            force if has_force else coordinate,
            has_force,
            self._memory,
            self._past,
            self._rules,
        )
        if verdict != ACCEPTED:
            reason = REJECTIONS[verdict]
            self.counts[reason] += 1
            self.last_rejection = (reason, self._explain(verdict, time, coordinate, force))
            memory = self._memory[0]
            if verdict == SPIKE and memory["suspects"] > 1:
                i = memory["drive"]
                self._rules[1][[RATE, ACCELERATION], i] *= self._livelier[i]
            return []
        self.last_rejection = None
        self.counts["accepted"] += 1
        sample = ValidatedSample(
            time,
            np.array(coordinate, dtype=float),
            None if force is None else np.array(force, dtype=float),
            self._segment.item(),
            False,
        )
        before, self._last = self._last, sample
        if begins != CONTINUES:
            self.counts[NEW_SEGMENT[begins]] += 1
            memory = self._memory[0]
            if memory["stepped"]:
                self.stepped = int(memory["stepping"]), float(memory["step"])
        elif steps > 1 and before is not None:
            self.counts["filled"] += steps - 1
            return [*_interpolate_gap(before, sample, steps), sample]
        return [sample]

    def _explain(self, verdict: int, time: float, coordinate: FloatArray, force: FloatArray | None) -> str:
        memory = self._memory[0]
        i = int(memory["drive"])
        drive = self._drives[i]
        if verdict == NOT_FINITE:
            return f"stamp {time}" if not np.isfinite(time) else f"{drive.joint}: value is not finite"
        if verdict == DUPLICATE:
            return f"stamp {time:.6f} s was there already"
        if verdict == LATE:
            return f"stamp {time:.6f} s is {memory['stamp'] - time:.6f} s behind the newest"
        if verdict == AHEAD:
            ahead = time - memory["stamp"]
            return f"stamp {time:.3f} s is {ahead:.0f} s ahead: believed once it has been so for {STAYED_AHEAD:g} s"
        limits, value, unit = self._rules[1][:, i], coordinate[i], drive.unit
        if verdict == OUT_OF_LIMITS:
            factor, other = (1e3, "mm") if unit == "m" else (np.rad2deg(1.0), "degrees")
            hint = f" (is it in {other}?)" if factor * drive.lowest <= value <= factor * drive.highest else ""
            return f"{drive.joint}: {value:.6g} {unit} is outside [{drive.lowest:g}, {drive.highest:g}] {unit}{hint}"
        if force is not None and abs(force[i]) > limits[FORCE]:
            stated = f"{limits[FORCE]:g} {drive.force_unit}"
            return f"{drive.joint}: force {force[i]:.6g} {drive.force_unit} is beyond {stated}"
        return f"{drive.joint}: jumps to {value:.6f} {unit} from {self._past[LAST, i]:.6f} {unit}"

    def validation(self, log: DriveLog) -> ValidatedLog:
        """Judge a whole log, continuing from the present state with a new segment.

        Gives what `step` would give sample by sample, in a fraction of the time, where all limits are stated.
        """
        count = len(log)
        has_force = log.force is not None
        length = np.ascontiguousarray(log.length)
        force = length if log.force is None else np.ascontiguousarray(log.force)  # of which none is looked at
        kept, fills, segment = GrowingArray(), GrowingArray(), GrowingArray()
        counts = dict.fromkeys(self.counts, 0)
        first: dict[str, float] = {}
        self._begin()
        for block in row_blocks(count) if count else [slice(0, 0)]:
            checked = _allocate_results(block.stop - block.start)
            rows, added, own, verdicts, beginnings = checked
            time = log.time[block]
            used = check_samples(
                time, length[block], force[block], has_force, self._memory, self._past, self._rules, checked
            )
            rows[:used] += block.start
            counts["accepted"] += used
            counts["filled"] += int(added[:used].sum())
            for codes, names in ((verdicts, REJECTIONS), (beginnings, NEW_SEGMENT)):
                for code, name in names.items():
                    if number := int(np.count_nonzero(codes == code)):
                        counts[name] += number
                        first.setdefault(name, float(time[np.argmax(codes == code)]))
            if added[:used].any():
                first.setdefault("filled", float(log.time[rows[np.argmax(added[:used] > 0)]]))
            kept.append(rows[:used])
            fills.append(added[:used])
            segment.append(own[:used])
        self._begin()
        for name, number in counts.items():
            self.counts[name] += number
        if (
            counts["accepted"] == count and not counts["filled"]
        ):  # a good log of hours is not to be there twice
            return ValidatedLog(
                log.time,
                length,
                force if has_force else None,
                segment.taken(),
                np.zeros(count, dtype=bool),
                counts,
                first,
                self.settings.period,
                log.imu,
                log.sensor,
                log.source,
            )
        return self._on_clock(log, kept.taken(), fills.taken(), segment.taken(), counts, first)

    def _begin(self) -> None:
        """Nothing crosses from one log to the next, or to a stream."""
        self._memory["started"] = False
        self._last = None

    def _on_clock(
        self,
        log: DriveLog,
        kept: NDArray[np.int64],
        fills: NDArray[np.int32],
        segment: NDArray[np.int64],
        counts: dict[str, int],
        first: dict[str, float],
    ) -> ValidatedLog:
        """The rows of a log that are kept, each with as many fillers before it as its place in `fills` says."""
        values = {"time": log.time, "coordinate": log.coordinate, "force": log.force}
        values |= {"imu": log.imu, "sensor": log.sensor}
        present = {name: column for name, column in values.items() if column is not None}
        columns = fill_short_holes(present, kept, fills, segment)
        return ValidatedLog(
            time=columns["time"],
            coordinate=columns["coordinate"],
            force=columns.get("force"),
            segment=columns["segment"],
            filled=columns["filled"],
            counts=counts,
            first=first,
            period=self.settings.period,
            imu=columns.get("imu"),
            sensor=columns.get("sensor"),
            source=log.source,
        )


def fill_short_holes(
    present: dict[str, FloatArray],
    kept: NDArray[np.int64],
    fills: NDArray[np.int32],
    segment: NDArray[np.int64],
) -> dict[str, NDArray]:
    """Return columns of a log on its clock: the rows that are kept, on straight lines the fillers before each.

    Parameters
    ----------
    present : dict of str to ndarray, first axis N
        Columns of the log.
    kept, fills, segment : ndarray, shape (K,)
        Rows, how many fillers stand before each, and its segment.

    Returns
    -------
    dict of str to ndarray
        In addition, `segment`, and `filled`: whether a row is a filler.
    """
    made = {name: GrowingArray() for name in (*present, "segment", "filled")}
    for block in row_blocks(len(kept)) if len(kept) else [slice(0, 0)]:
        # every kept sample is preceded by its fillers: place of each row between its two neighbours
        repeats = fills[block] + 1
        own = np.repeat(np.arange(len(repeats)), repeats)
        begin = np.cumsum(repeats) - repeats
        part = (np.arange(len(own)) - begin[own] + 1) / repeats[own]
        owner = own + block.start
        earlier, later = kept[np.maximum(owner - 1, 0)], kept[owner]
        for name, column in present.items():
            before, behind = column[earlier], column[later]
            weight = part.reshape(-1, *([1] * (column.ndim - 1)))
            made[name].append(np.where(weight == 1.0, behind, before + weight * (behind - before)))
        made["segment"].append(segment[owner])
        made["filled"].append(part < 1.0)
    return {name: gathered.taken() for name, gathered in made.items()}


def _interpolate_gap(
    before: ValidatedSample, after: ValidatedSample, steps: int
) -> Iterator[ValidatedSample]:
    """The samples between two that are so many steps apart, on the straight line from one to the other."""
    for k in range(1, steps):
        part = k / steps
        force = None
        if before.force is not None and after.force is not None:
            force = before.force + part * (after.force - before.force)
        yield ValidatedSample(
            before.time + part * (after.time - before.time),
            before.coordinate + part * (after.coordinate - before.coordinate),
            force,
            after.segment,
            True,
        )


def _allocate_results(
    count: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray, NDArray]:
    """Room for what `check_samples` says of so many samples."""
    kept, segment = np.zeros((2, count), dtype=np.int64)
    verdicts, beginnings = np.zeros((2, count), dtype=np.int8)
    return kept, np.zeros(count, dtype=np.int32), segment, verdicts, beginnings
