# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Public logs of real machines: where they are, and what makes of them logs in SI units.

Nothing of them is in this repository: the reader clones the repositories below one folder, and gives it as --data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.io import loadmat

from pkm_identification.errors import DocumentError

MACHINES = Path(__file__).resolve().parents[2] / "examples" / "machines"
# N m per A of the UR10e's motor currents, as dynamic_calibration has them
UR10E_GAINS_NM_PER_A = np.array([14.87, 13.26, 11.13, 10.62, 11.03, 11.47])
TX40_GEARS = np.array([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])  # as figaroh-examples has them
TX40_ZERO_RAD = np.array([0.0, -0.5, 0.5, 0.0, 0.0, 0.0]) * np.pi
TX40_PERIOD_S = 2e-4
TRAINING = 0.8  # of one log; the rest is held out
# N of a strut of the UNAL platform per A: .05 N m/A, efficiency .4, screw of 3 mm (a guess: the log is refused anyway)
UNAL_N_PER_A = 0.05 * 0.4 * 2 * np.pi / 0.003


@dataclass(frozen=True)
class Log:
    """Stamps (N,) in s, coordinates and forces (N, n), SI units."""

    time: np.ndarray
    coordinate: np.ndarray
    force: np.ndarray

    def part(self, rows: slice) -> Log:
        """Return some rows."""
        return Log(self.time[rows], self.coordinate[rows], self.force[rows])


@dataclass(frozen=True)
class Subject:
    """A real machine with public logs.

    Attributes
    ----------
    name, title : str
        Of its file in examples/machines, and of its section.
    repository : str
        On github.com; its clone is the folder called by the last part.
    read : callable
        Of that folder, to training logs and the held-out one.
    notes : str
        What a reader has to know of the logs.
    published : mapping of str to float
        Friction and base parameters printed by others, by our names, and `source`, which says where.
    """

    name: str
    title: str
    repository: str
    read: Callable[[Path], tuple[list[Log], Log | None]]
    notes: str
    published: Mapping[str, float] = field(default_factory=dict)
    source: str = ""

    @property
    def machine(self) -> Path:
        """Return its machine file."""
        return MACHINES / f"{self.name}.yaml"

    @property
    def folder(self) -> str:
        """Return the name of its clone."""
        return self.repository.rpartition("/")[2]


def _table(path: Path, delimiter: str | None = None, skiprows: int = 0) -> np.ndarray:
    try:
        return np.loadtxt(path, delimiter=delimiter, skiprows=skiprows)
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path}: cannot be read: {error}") from None


def _ur10e_log(path: Path, first: int, count: int) -> Log:
    """Return rows of a UR10e log: time, q (6), rates (6), currents (6), ...; before and after, the arm stands."""
    rows = _table(path, delimiter=",")[first : first + count]
    if len(rows) != count:
        raise DocumentError(f"{path}: has {first + len(rows)} rows, expected at least {first + count}")
    return Log(rows[:, 0] - rows[0, 0], rows[:, 1:7], rows[:, 13:19] * UR10E_GAINS_NM_PER_A)


def read_ur10e(folder: Path) -> tuple[list[Log], Log]:
    """Return the motion of 30 s, and the point-to-point motion that is held out."""
    data = folder / "dataset_ur10e"
    training = _ur10e_log(data / "identification_data" / "ur-20_02_10-30sec_12harm.csv", 634, 2876)
    return [training], _ur10e_log(data / "validation_data" / "ur-20_01_17-ptp_10_points.csv", 699, 3501)


def read_panda(folder: Path) -> tuple[list[Log], Log]:
    """Return the first part of the exciting trajectory, and the last fifth, which is held out."""
    data = folder / "matlab" / "data" / "Exciting_Traj" / "Trajectory_1" / "rbt_log"
    time, coordinate, force = (
        _table(data / f"exciting_traj_{name}.txt") for name in ("time", "positions", "torques")
    )
    log = Log(time.ravel(), coordinate.reshape(-1, 7), force.reshape(-1, 7))
    cut = int(TRAINING * len(log.time))
    return [log.part(slice(cut))], log.part(slice(cut, None))


def read_tx40(folder: Path) -> tuple[list[Log], Log]:
    """Return what is before and behind the middle fifth of the motion, at the motors' side by the gears, and that."""
    data = folder / "examples" / "staubli_TX40" / "data"
    motor, torque = (
        _table(data / f"{name}.csv", delimiter=",", skiprows=1) for name in ("pos_read_data", "curr_data")
    )
    time = TX40_PERIOD_S * np.arange(len(motor))
    log = Log(time, motor / TX40_GEARS + TX40_ZERO_RAD, torque * TX40_GEARS)
    begin, end = (round(part * len(time)) for part in (0.4, 0.6))
    return [log.part(slice(begin)), log.part(slice(end, None))], log.part(slice(begin, end))


def read_double_pendulum(folder: Path) -> tuple[list[Log], Log]:
    """Return three runs, and a fourth, in which the first axis swings freely, which is held out."""
    data = folder / "data" / "experiment_records" / "design_C.0" / "20220914" / "sys_id"
    logs = []
    for k in range(4):
        rows = _table(data / f"trajectory_{k:02d}.csv", delimiter=",", skiprows=1)
        logs.append(Log(rows[:, 0], rows[:, 1:3], rows[:, 13:15]))
    return logs[:3], logs[3]


def read_unal(folder: Path) -> tuple[list[Log], None]:
    """Return one log of the platform: strut lengths and magnitudes of the motors' currents."""
    path = folder / "src" / "dumpOutput" / "04_07_12_47_data.mat"
    try:
        data = loadmat(path)
        time, stroke, current = (np.asarray(data[key], float) for key in ("t", "dist_input", "current_input"))
    except (OSError, ValueError, KeyError) as error:
        raise DocumentError(f"{path}: cannot be read: {error}") from None
    return [Log(time.ravel(), 0.58 + 0.01 * stroke, UNAL_N_PER_A * current)], None


SUBJECTS = (
    Subject(
        "ur10e",
        "Universal Robots UR10e",
        "shamilmamedov/dynamic_calibration",
        read_ur10e,
        "Six axes, stamps 10 or 12 ms apart, torque = motor current times a nominal constant. Training: a periodic "
        "motion of 30 s. Held out: point-to-point motions in which axis 6 is mostly at standstill.",
        {
            "viscous_angle_1": 31.6, "viscous_angle_4": 4.22, "viscous_angle_5": 2.90, "viscous_angle_6": 3.43,
            "coulomb_angle_1": 18.7, "coulomb_angle_4": 2.36, "coulomb_angle_5": 3.13, "coulomb_angle_6": 2.60,
        },
        "the repository's authors, with the same constants",
    ),
    Subject(
        "panda",
        "Franka Emika Panda",
        "marcocognetti/FrankaEmikaPandaDynModel",
        read_panda,
        "Seven axes with torque sensors, stamps .7 to 2 ms apart with gaps of 8 ms. Training: the first four fifths of "
        "an exciting motion of 21 s. Held out: the rest. The authors use another friction law (a sigmoid).",
    ),
    Subject(
        "tx40",
        "Staubli TX40",
        "thanhndv212/figaroh-examples",
        read_tx40,
        "Six axes at 5 kHz, positions and torques of the motors, coupled wrist (motor 6 turns with axes 5 and 6). "
        "Training: a motion of 9 s without its middle fifth. Held out: that fifth. The peers model the coupling.",
    ),
    Subject(
        "double_pendulum",
        "Double pendulum of the DFKI, design C",
        "dfki-ric-underactuated-lab/double_pendulum",
        read_double_pendulum,
        "Two axes at 500 Hz, encoders and torques as the quasi-direct drives report them. Training: three runs of 10 "
        "s. Held out: a fourth, in which the first axis swings freely, so that its torque is friction of the drive. "
        "All programs find that much of the reported torque below 10 Hz does not follow from the motion.",
        {
            "mx_upper": 0.241, "mx_lower": 0.181, "J_upper": 0.049, "J_lower": 0.054,
            "coulomb_angle_1": 0.093, "coulomb_angle_2": 0.078,
        },
        "the repository's model C 3.0",
    ),
    Subject(
        "unal_hexapod",
        "Stewart-Gough platform of the Universidad Nacional de Colombia",
        "jsduenass/Stewart_Gough_platform_UNAL",
        read_unal,
        "Six struts at 100 Hz: lengths, and motor currents as magnitudes.",
    ),
)  # fmt: skip
