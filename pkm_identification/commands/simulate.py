# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm simulate: a log of a simulated machine."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from pkm_identification.declared import declarations
from pkm_identification.errors import OutputError, SettingsError
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import load_machine
from pkm_identification.motion import TRAJECTORIES
from pkm_identification.records.drive_csv import write_csv, write_raw_csv
from pkm_identification.records.log import write_recording
from pkm_identification.records.strokes import subtract_at_zero
from pkm_identification.simulation.run_settings import FAULTS, NOISE, RunSettings
from pkm_identification.simulation.sensors import SensorSettings

from .arguments import add_setting, collect_options
from .results import check_file

FIRST_STAMP = 1.0  # s
STORAGES = ("sqlite3", "mcap")
LONGEST = 3600.0  # s, of a log that is made in memory
RUN = declarations(RunSettings)


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "simulate",
        description="Simulate a machine with drives, control and sensors (MuJoCo) and write what the drives report.",
    )
    parser.add_argument("--machine", required=True, help="built-in name or YAML file: the truth")
    parser.add_argument(
        "--trajectory",
        metavar="T",
        help=f"{', '.join(TRAJECTORIES)}, or a motion file of pkm excite (.yaml); x, z and xy are a hexapod's; "
        "where none is named, the motion in the machine's file",
    )
    add_setting(parser, RUN["duration"])
    parser.add_argument(
        "--out", required=True, metavar="LOG", help=".csv or .csv.gz (raw counts), or a bag folder"
    )
    parser.add_argument("--si", action="store_true", help="write CSV in metres and newtons instead of counts")
    parser.add_argument("--storage", choices=STORAGES, help=f"of a bag (default: {STORAGES[0]})")
    add_setting(parser, RUN["seed"])
    add_setting(parser, RUN["perturbation"], "FRACTION")
    add_setting(parser, NOISE)
    add_setting(parser, FAULTS, "NAME=VALUE")
    parser.add_argument(
        "--list-faults", action=_ListFaults, help="list all faults with units and ranges, and end"
    )
    parser.add_argument("--perfect", action="store_true", help="sensors without noise and quantisation")
    add_setting(parser, RUN["payload"], "T,MASS[,X,Y,Z]")
    add_setting(parser, RUN["payload_set_down"])
    add_setting(parser, RUN["scenario"], "FILE")
    parser.set_defaults(run=_simulate)


class _ListFaults(argparse.Action):
    """Prints the list and ends, whatever else is missing."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        from pkm_identification.simulation.faults import fault_list

        print(fault_list())
        parser.exit()


def _is_raw(machine: Machine, options: argparse.Namespace, is_csv: bool) -> bool:
    """Return whether a log has counts and currents: where the machine file states encoders and motors, unless --si.

    Raises
    ------
    SettingsError
        If currents of this machine are no forces.
    """
    if options.si or not is_csv or not machine.states_reports:
        return False
    if any(drive.valve for drive in machine.drives):
        raise SettingsError(
            f"machine '{machine.name}': its currents are those of valves and no measurement of force; use --si"
        )
    return all(drive.resolution and math.isfinite(drive.reported.per_ampere) for drive in machine.drives)


def _simulate(options: argparse.Namespace) -> int:
    run = RunSettings(**collect_options(options, RUN.values()))
    sensors = SensorSettings(**collect_options(options, (NOISE,)))
    if options.perfect and sensors != SensorSettings():
        raise SettingsError("--noise: sensors that are --perfect have none")
    if run.duration > LONGEST:
        raise SettingsError(f"--duration {run.duration:g}: a log is at most {LONGEST:g} s long")
    is_csv = str(options.out).endswith((".csv", ".csv.gz"))
    if is_csv:
        check_file(options.out, "--out")
    elif Path(options.out).exists():
        raise OutputError(f"--out {options.out}: exists; a bag needs a new folder")
    if run.payload_set_down and not run.payload:
        raise SettingsError("--set-down: there is nothing to set down without --payload")
    machine = load_machine(options.machine)
    raw = _is_raw(machine, options, is_csv)
    # MuJoCo takes longer to load than most commands run
    from pkm_identification.simulation.faults import parse_fault
    from pkm_identification.simulation.payload import Payload
    from pkm_identification.simulation.perturbation import perturb_machine
    from pkm_identification.simulation.scenario import Scenario
    from pkm_identification.simulation.simulator import simulate

    count = len(machine.drives)
    truth = perturb_machine(machine, run.seed, run.perturbation) if run.perturbation else machine
    payload = Payload.parse(run.payload, run.payload_set_down or math.inf) if run.payload else None
    record = simulate(
        truth,
        options.trajectory,
        run.duration or None,
        nominal=machine,
        sensors=SensorSettings.perfect() if options.perfect else sensors,
        seed=run.seed,
        payload=payload,
        faults=[parse_fault(text, count) for text in options.faults],
        scenario=Scenario.read(run.scenario, count) if run.scenario else None,
    )
    if raw:
        additional = record.imu, record.sensor, record.motor_length
        write_raw_csv(options.out, record.time, record.counts, record.current, *additional, machine.drives)
    elif is_csv:
        write_csv(options.out, record.log(), machine.drives, record.motor_length)
    else:
        # a stamp of zero means "no stamp" in ROS
        log = record.log()
        logged = subtract_at_zero(log.coordinate, [drive.reported.at_zero for drive in machine.drives])
        later = replace(log, time=record.time + FIRST_STAMP, coordinate=logged)
        names = [drive.joint for drive in machine.drives]
        write_recording(options.out, later, options.storage or STORAGES[0], record.motor_length, names)
    motion = options.trajectory or "motion"
    print(
        f"{len(record)} samples of '{motion}' -> {options.out} (loop gap {record.loop_gap:.1e} m)",
        file=sys.stderr,
    )
    return 0
