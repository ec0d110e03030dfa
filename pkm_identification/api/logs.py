# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs: read from files, or simulated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pkm_identification.errors import LogError, SettingsError
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.encoders import find_encoder_side
from pkm_identification.machines.load import wrap_description
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import DriveLog
from pkm_identification.records.channels import build_channels
from pkm_identification.records.foreign import LogLayout
from pkm_identification.records.log import read_log

from .machines import AnyMachine, load_machine


@dataclass(frozen=True)
class Logs:
    """Logs of one experiment, and what was set right while reading them.

    Attributes
    ----------
    logs : tuple of DriveLog
        The latter of machines that are no hexapods.
    encoder : str
        Whose lengths they are, of drives with two encoders each: 'load' or 'motor'; empty where that is not known.
    """

    logs: tuple[DriveLog, ...]
    encoder: str = ""

    @property
    def faults(self) -> dict[str, int]:
        """What the readers found and left out, by reason; empty for good logs."""
        counts: Counter[str] = Counter()
        for log in self.logs:
            counts.update(log.faults)
        return dict(counts)

    def __len__(self) -> int:
        return len(self.logs)

    def __iter__(self) -> Iterator[DriveLog]:
        return iter(self.logs)

    def __getitem__(self, number: int) -> DriveLog:
        return self.logs[number]

    def __repr__(self) -> str:
        samples = ", ".join(f"{log.source}: {len(log)} samples" for log in self.logs)
        return f"<Logs {samples}{f'; faults {self.faults}' if self.faults else ''}>"


LogSource = DriveLog | Logs | str | Path


def read_logs(
    logs: LogSource | Sequence[LogSource],
    machine: AnyMachine | Mechanism | None = None,
    *,
    columns: str | None = None,
    units: str | None = None,
    joints: str | None = None,
    rate: float | None = None,
    topic: str | None = None,
    stamps: str | None = None,
    at_zero: str | None = None,
) -> Logs:
    """Read logs: text of columns (.gz too), files of arrays (MATLAB, Parquet, HDF5), or recordings of ROS 2 and 1.

    Parameters
    ----------
    logs : path, DriveLog, Logs, or a sequence of them
        Pieces of one experiment or several motions of one machine. What is a log already stays as it is.
    machine : str, Path, Machine or Mechanism, optional
        Needed for raw logs, which its drives convert, and of machines that are no hexapods, whose drives name columns.
    columns, units, joints : str, optional
        What logs of other programs look like, as the options of `pkm import`: `t=time,length=L1..L6,force=F1..F6`,
        `mm,kN,ms`, six joint names; `columns` may be a kept layout file.
    rate : float, optional
        Samples per second of logs whose time is counted in samples or not there.
    topic : str, optional
        Of recordings, where several topics have all drives; several with commas between, of some drives each.
    stamps : {'header', 'receive'}, optional
        Whose stamps messages of recordings have: their own, or their times of arrival.
    at_zero : str, optional
        Coordinates in m or rad where the log has 0, as of strokes: one number, or one of each drive with commas.

    Raises
    ------
    SettingsError
        If the layout cannot be understood.
    LogError
        If a file cannot be read: names the file, the place and what was expected; if logs are of the other one of two
        encoders than the machine's.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> simulated = pkm.simulate("uf", "z", duration=2.0)
    >>> logs = pkm.read_logs(simulated)
    >>> logs[0].length.shape
    (2001, 6)
    """
    sources = [logs] if isinstance(logs, (DriveLog, Logs, str, Path)) else list(logs)
    if not sources:
        raise SettingsError("logs: there is none to read")
    whole = None if machine is None else wrap_description(load_machine(machine))
    channels = build_channels(whole)
    layout = LogLayout.of(columns, units, joints, rate, channels, stamps, at_zero)
    gathered: list[DriveLog] = []
    for source in sources:
        if isinstance(source, Logs):
            _refuse_other_encoder(source, whole)
            gathered += source.logs
        elif isinstance(source, DriveLog):
            gathered.append(source)
        else:
            gathered.append(read_log(source, whole, topic, layout))
    for log in gathered if whole is not None else ():
        if log.coordinate.shape[1] != len(channels.drives):
            count = log.coordinate.shape[1]
            raise LogError(
                f"{log.source}: a log of {count} drives; '{channels.machine}' has {len(channels.drives)}"
            )
    return Logs(tuple(gathered), "" if whole is None else find_encoder_side(whole))


def _refuse_other_encoder(logs: Logs, machine: Machine | None) -> None:
    side = "" if machine is None else find_encoder_side(machine)
    if logs.encoder and side and logs.encoder != side:
        raise LogError(
            f"{logs.logs[0].source}: these are lengths of the encoders on the {logs.encoder}, and the machine's are on "
            f"the {side}: read or simulate with the machine that identifies, machine.with_encoder('{side}')"
        )


def simulate(
    machine: AnyMachine | Mechanism,
    trajectory: str = "rich",
    duration: float | None = None,
    *,
    perturb: float = 0.0,
    noise: float = 0.01,
    seed: int = 0,
    faults: Sequence[str] = (),
) -> Logs:
    """Return a log of a simulated machine: physics, control, drives and sensors.

    Of drives with two encoders each it has the lengths of those on the load, unless the machine is
    `Machine.load(name).with_encoder("motor")`.

    Parameters
    ----------
    machine : str, Path, Machine or Mechanism
    trajectory : str
        `x`, `z`, `xy`, `rich`, `rich2`, `slow`, `free` or `rest`.
    duration : float, optional
        s; the trajectory's own unless given.
    perturb : float
        Masses, inertias and friction of the machine that is simulated differ from the file by up to this fraction.
    noise : float
        Standard deviation of the currents' noise, relative to their rms.
    seed : int
        Of noise and perturbation.
    faults : sequence of str
        What is wrong with machine, sensors or log, each `NAME=VALUE` as `force_delay=0.002`; the names and their
        ranges are those of `pkm simulate --list-faults`.

    Raises
    ------
    SettingsError
        If a value is impossible.

    Examples
    --------
    >>> import pkm_identification as pkm
    >>> len(pkm.simulate("hexel", "x", duration=2.0)[0])
    2001
    """
    # MuJoCo takes longer to load than everything else
    from pkm_identification.simulation.faults import parse_fault
    from pkm_identification.simulation.perturbation import perturb_machine
    from pkm_identification.simulation.sensors import SensorSettings
    from pkm_identification.simulation.simulator import simulate as simulated

    nominal = load_machine(machine)
    count = len(wrap_description(nominal).drives)
    if not 0 <= perturb < 1:
        raise SettingsError(f"perturb = {perturb:g}: must be at least 0 and less than 1")
    if duration is not None and not 0 < duration <= 3600:
        raise SettingsError(f"duration = {duration:g}: must be more than 0 and at most 3600 s")
    if seed < 0:
        raise SettingsError(f"seed = {seed}: must not be negative")
    wrong = [parse_fault(text, count) for text in faults]
    truth = perturb_machine(nominal, seed, perturb) if perturb else nominal
    sensors = SensorSettings(current_noise=noise)
    record = simulated(truth, trajectory, duration, nominal=nominal, sensors=sensors, seed=seed, faults=wrong)
    log, side = record.log(), find_encoder_side(wrap_description(nominal))
    if side == "motor" and record.motor_length is not None:
        log = replace(log, coordinate=record.motor_length)
    return Logs((log,), encoder=side)
