"""pkm simulate: a log of a simulated machine."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from pkm_identification.document import YAML_ENDINGS
from pkm_identification.errors import OutputError, SettingsError
from pkm_identification.mechanisms.builtin import is_mechanism
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.records import write_log, write_raw_csv

from .arguments import check_seed
from .results import check_file

FIRST_STAMP = 1.0  # s
STORAGES = ("sqlite3", "mcap")
LARGEST_NOISE = 1000.0  # %
TRAJECTORIES = ("x", "z", "xy", "rich", "rich2", "slow", "free", "rest")


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "simulate",
        description="Simulate a machine with drives, control and sensors (MuJoCo) and write what the drives report. A "
        "mechanism that is no hexapod takes --trajectory, --duration, --noise, --perfect, --seed and writes CSV.",
    )
    parser.add_argument("--machine", required=True, help="built-in name or YAML file: the truth")
    parser.add_argument(
        "--trajectory",
        metavar="T",
        help=f"{', '.join(TRAJECTORIES)}, or of a hexapod a motion file of pkm excite (.yaml); "
        "of a mechanism the description's own motion where none is named",
    )
    parser.add_argument("--duration", type=float, metavar="S", help="seconds (default: the trajectory's own)")
    parser.add_argument(
        "--out", required=True, metavar="LOG", help=".csv or .csv.gz (raw counts), or a bag folder"
    )
    parser.add_argument("--si", action="store_true", help="write CSV in metres and newtons instead of counts")
    parser.add_argument("--storage", choices=STORAGES, help=f"of a bag (default: {STORAGES[0]})")
    parser.add_argument("--seed", type=int, default=0, help="of the sensors' noise")
    parser.add_argument(
        "--perturb",
        type=float,
        default=0.0,
        metavar="FRACTION",
        help="simulate a machine whose masses, inertias and friction differ from the file by up to this fraction",
    )
    parser.add_argument(
        "--noise",
        type=float,
        metavar="PERCENT",
        help="standard deviation of the forces' noise, of each drive's rms force (default: 1)",
    )
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="something wrong with machine, sensors or log, as force_delay=0.002 or force_gain_4=1.1; may be repeated",
    )
    parser.add_argument(
        "--list-faults", action=_ListFaults, help="list all faults with units and ranges, and end"
    )
    parser.add_argument("--perfect", action="store_true", help="sensors without noise and quantisation")
    parser.add_argument(
        "--payload",
        metavar="T,MASS[,X,Y,Z]",
        help="a load of MASS kg taken up T s after the start; centre of mass in the platform frame (m, default 0,0,0)",
    )
    parser.add_argument(
        "--set-down", type=float, metavar="T", help="when the payload is set down again, s (default: never)"
    )
    parser.set_defaults(run=_simulate)


def _is_file(options: argparse.Namespace) -> bool:
    """Whether a hexapod is to follow a motion file."""
    return options.trajectory.endswith(YAML_ENDINGS) and not is_mechanism(options.machine)


class _ListFaults(argparse.Action):
    """Prints the list and ends, whatever else is missing."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from pkm_identification.simulation.faults import fault_list

        print(fault_list())
        parser.exit()


def _simulate(options: argparse.Namespace) -> int:
    if options.duration is not None and not 0 < options.duration <= 3600:
        raise SettingsError(f"--duration {options.duration:g}: must be more than 0 and at most 3600 s")
    if not 0 <= options.perturb < 1:
        raise SettingsError(f"--perturb {options.perturb:g}: must be at least 0 and less than 1")
    if options.noise is not None and options.perfect:
        raise SettingsError("--noise: sensors that are --perfect have none")
    if options.noise is not None and not 0 <= options.noise <= LARGEST_NOISE:
        raise SettingsError(f"--noise {options.noise:g}: must be at least 0 and at most {LARGEST_NOISE:g} %")
    check_seed(options.seed)
    is_csv = str(options.out).endswith((".csv", ".csv.gz"))
    if is_csv:
        check_file(options.out, "--out")
    elif Path(options.out).exists():
        raise OutputError(f"--out {options.out}: exists; a bag needs a new folder")
    if options.trajectory is not None and options.trajectory not in TRAJECTORIES and not _is_file(options):
        raise SettingsError(
            f"--trajectory {options.trajectory}: invalid choice, must be one of {', '.join(TRAJECTORIES)}, "
            "or of a hexapod a motion file (.yaml)"
        )
    # MuJoCo takes longer to load than most commands run
    if is_mechanism(options.machine):
        from .mechanism_simulation import simulate as simulate_mechanism

        return simulate_mechanism(options)
    if options.trajectory is None:
        raise SettingsError(f"--trajectory: one of {', '.join(TRAJECTORIES)}")
    from pkm_identification.simulation import (
        Payload,
        SensorSettings,
        perturbed,
        simulate,
    )
    from pkm_identification.simulation.faults import parse_fault

    nominal = Machine.load(options.machine)
    truth = perturbed(nominal, options.seed, options.perturb) if options.perturb else nominal
    noise = SensorSettings() if options.noise is None else SensorSettings(current_noise=options.noise / 100)
    sensors = SensorSettings.perfect() if options.perfect else noise
    faults = [parse_fault(text) for text in options.fault]
    if options.set_down is not None and options.payload is None:
        raise SettingsError("--set-down: there is nothing to set down without --payload")
    set_down = math.inf if options.set_down is None else options.set_down
    payload = None if options.payload is None else Payload.parse(options.payload, set_down)
    record = simulate(
        truth,
        options.trajectory,
        options.duration,
        nominal=nominal,
        sensors=sensors,
        seed=options.seed,
        payload=payload,
        faults=faults,
    )
    if is_csv and not options.si:
        if nominal.drive is None or not (nominal.drive.has_encoder and nominal.drive.has_motor):
            raise SettingsError(
                f"machine '{nominal.name}' has no 'drive' with encoder and motor, so raw counts mean nothing; use --si"
            )
        write_raw_csv(options.out, record.time, record.counts, record.current, record.imu, record.sensor)
    else:
        log = record.log()
        # a stamp of zero means "no stamp" in ROS
        write_log(
            options.out,
            log if is_csv else replace(log, time=log.time + FIRST_STAMP),
            options.storage or STORAGES[0],
        )
    print(
        f"{len(record)} samples of '{options.trajectory}' -> {options.out} (loop gap {record.loop_gap:.1e} m)",
        file=sys.stderr,
    )
    return 0
