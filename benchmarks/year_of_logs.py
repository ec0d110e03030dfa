# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A year of logs of a machine that wears: python -m benchmarks.year_of_logs DIR [--logs 1000] [--seconds 60]

Physics is simulated two dozen times: two exciting motions of `uf` for each month, without noise, with the friction of
that month. Every log is one of these with sensor noise of its own: half a count (normal) on lengths before they are
rounded to counts, and the simulator's noise on the currents. What changes is known: viscous friction of strut 3 grows
by the same share every month, Coulomb friction of strut 5 steps in July. A folder that is not full is filled up;
--months 1-6 and --months 7-12 may fill it at the same time.
"""

from __future__ import annotations

import argparse
import copy
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.records.log import write_log
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.sensors import Sensors, SensorSettings
from pkm_identification.simulation.simulator import simulate

FIRST_DAY = np.datetime64("2025-01-01", "s")
MONTHS, MOTIONS = 12, 2
YEAR = 365 * 86400  # s
GROWING, MONTHLY_GROWTH = 2, 0.02  # strut 3, of its viscous friction
STEPPING, STEP, STEPS_IN = 4, 0.2, 6  # strut 5, of its Coulomb friction, in July
ENCODER_NOISE = 0.5  # counts
CURRENT_NOISE = 0.005  # of the currents' rms


@dataclass(frozen=True)
class Clean:
    """What a simulated motion is without noise: true lengths in m and forces in N, both (N, 6), at times in s."""

    time: np.ndarray
    length: np.ndarray
    force: np.ndarray

    def measure(self, machine: Machine, seed: int, source: str) -> DriveLog:
        """The same with sensor noise of its own."""
        drive = machine.drive
        assert drive is not None
        typical = np.sqrt(np.mean(self.force**2, axis=0))
        sensors = Sensors(drive, SensorSettings(current_noise=CURRENT_NOISE), typical, seed)
        rng = np.random.default_rng([seed, 1])
        moved = ENCODER_NOISE / drive.counts_per_meter * rng.standard_normal(self.length.shape)
        length = sensors.length(sensors.counts(self.length + moved))
        return DriveLog(self.time, length, sensors.current(self.force) * drive.force_per_ampere, source)


def worn(machine: Machine, month: int) -> Machine:
    """The machine as it is in a month, from 0."""
    document = copy.deepcopy(machine.document)
    friction = document["friction"]
    friction["viscous"][GROWING] *= 1.0 + MONTHLY_GROWTH * month
    friction["coulomb"][STEPPING] *= 1.0 + STEP * (month >= STEPS_IN)
    return Machine.from_document(document, source=f"month {month + 1}")


def clean(month: int, motion: int, seconds: float) -> Clean:
    """Simulate a motion in a month."""
    nominal = Machine.load("uf")
    truth = worn(perturb_machine(nominal, seed=1, fraction=0.1), month)
    record = simulate(
        truth, "rich", seconds, nominal=nominal, sensors=SensorSettings.perfect(), motion_seed=motion
    )
    return Clean(record.time, record.length, record.force)


def make(folder: Path, logs: int, seconds: float, months: range) -> None:
    """Write what is missing in these months, from 0, of so many logs, spread evenly over a year."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = Machine.load("uf")
    at = [FIRST_DAY + np.timedelta64(int(YEAR * k / logs), "s") for k in range(logs)]
    names = [f"{str(time).replace('-', '').replace(':', '').replace('T', '_')}.csv.gz" for time in at]
    for month in months:
        mine = [k for k in range(logs) if at[k].astype("datetime64[M]").astype(int) % 12 == month]
        missing = [k for k in mine if not (folder / names[k]).exists()]
        motions = {k % MOTIONS for k in missing}
        simulated = {motion: clean(month, motion, seconds) for motion in motions}
        for k in missing:
            write_log(folder / names[k], simulated[k % MOTIONS].measure(machine, k, names[k]))
        print(f"month {month + 1}: {len(mine)} logs", file=sys.stderr, flush=True)


def main() -> None:
    """Make a folder of logs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--logs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0, help="of each log")
    parser.add_argument("--months", default=f"1-{MONTHS}", help="first and last of them")
    options = parser.parse_args()
    first, last = (int(month) for month in options.months.split("-"))
    make(options.folder, options.logs, options.seconds, range(first - 1, last))


if __name__ == "__main__":
    main()
