"""Reading and writing strut logs of any kind by their path."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pkm_identification.errors import LogError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import StrutLog

from .strut_csv import read_strut_csv, write_strut_csv

BAG_FILES = (".db3", ".mcap")
# A derivative filter alone is longer than this; with fewer there is nothing to work with.
FEWEST_SAMPLES = 10


def read_log(
    path: str | Path, machine: Machine | None = None, topic: str | None = None
) -> tuple[StrutLog, dict[str, int]]:
    """Read a strut log: a rosbag2 recording (folder, .db3 or .mcap file) or CSV (raw or SI, plain or .gz).

    Parameters
    ----------
    path : str or Path
    machine : Machine, optional
        Needed for raw CSV logs.
    topic : str, optional
        Of a recording, when it has several called `strut_states`.

    Returns
    -------
    log : StrutLog
        Samples in the order they were recorded, values not finite included.
    faults : dict of str to int
        What was set right while reading, by reason: `repeated_header`, `missing_name`, ...; empty for a good log.

    Raises
    ------
    LogError
        If it cannot be read or has less than ten samples: one line with file, place and what was expected.
    """
    file = Path(path)
    if file.is_dir() or file.suffix in BAG_FILES:
        # Imported here because it takes longer than reading a CSV file.
        from .bag_reader import read_strut_bag

        log, faults = read_strut_bag(file, topic)
    else:
        log, faults = read_strut_csv(file, machine)
    if len(log) < FEWEST_SAMPLES:
        raise LogError(f"{path}: only {len(log)} samples, expected at least {FEWEST_SAMPLES}")
    return log, faults


def read_logs(
    paths: Iterable[str | Path], machine: Machine | None = None, topic: str | None = None
) -> tuple[list[StrutLog], dict[str, int]]:
    """Read the logs of one experiment; their faults are added up. See `read_log`."""
    logs: list[StrutLog] = []
    faults: dict[str, int] = {}
    for path in paths:
        log, found = read_log(path, machine, topic)
        logs.append(log)
        for reason, number in found.items():
            faults[reason] = faults.get(reason, 0) + number
    return logs, faults


def write_log(path: str | Path, log: StrutLog, storage: str = "sqlite3") -> None:
    """Write a strut log: CSV in SI units when the path ends in .csv or .csv.gz, else a rosbag2 folder.

    Parameters
    ----------
    path : str or Path
        Appears complete or not at all.
    log : StrutLog
    storage : {'sqlite3', 'mcap'}
        Of a recording.

    Raises
    ------
    LogError
        If it cannot be written, or the path names a file inside a recording (.db3, .mcap).
    """
    if str(path).endswith((".csv", ".csv.gz")):
        write_strut_csv(path, log)
        return
    if str(path).endswith(BAG_FILES):
        raise LogError(
            f"{path}: a recording is written as a folder; give its name without {Path(path).suffix}"
        )
    from .bag_writer import write_strut_bag

    write_strut_bag(path, log, storage)
