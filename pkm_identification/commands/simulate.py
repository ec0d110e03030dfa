# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm simulate: a log of a simulated machine."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from pkm_identification.declared import declarations
from pkm_identification.document import YAML_ENDINGS
from pkm_identification.errors import OutputError, SettingsError
from pkm_identification.mechanisms.builtin import is_mechanism
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import TRAJECTORIES
from pkm_identification.records import write_log, write_raw_csv, write_strut_csv
from pkm_identification.simulation.run_settings import FAULTS, NOISE, RunSettings
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.suggestion import did_you_mean

from .arguments import add_setting, chosen
from .results import check_file

FIRST_STAMP = 1.0  # s
STORAGES = ("sqlite3", "mcap")
LONGEST = 3600.0  # s, of a log that is made in memory
RUN = declarations(RunSettings)


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
        help=f"{', '.join(TRAJECTORIES)}, or a motion file of pkm excite (.yaml); of a mechanism rich, rich2, slow, "
        "rest, a motion file, or the description's own motion where none is named",
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


def _check_raw(machine: Machine) -> None:
    """Refuse machines whose counts and currents are neither lengths nor forces."""
    if any(actuator.has_valve for actuator in machine.actuators or ()):
        raise SettingsError(
            f"machine '{machine.name}': its currents are those of valves and no measurement of force; use --si"
        )
    if machine.drive is None or not (machine.drive.has_encoder and machine.drive.has_motor):
        raise SettingsError(
            f"machine '{machine.name}' has no 'drive' with encoder and motor, so raw counts mean nothing; use --si"
        )


def _simulate(options: argparse.Namespace) -> int:
    run = RunSettings(**chosen(options, RUN.values()))
    sensors = SensorSettings(**chosen(options, (NOISE,)))
    if options.perfect and sensors != SensorSettings():
        raise SettingsError("--noise: sensors that are --perfect have none")
    if run.duration > LONGEST:
        raise SettingsError(f"--duration {run.duration:g}: a log is at most {LONGEST:g} s long")
    is_csv = str(options.out).endswith((".csv", ".csv.gz"))
    if is_csv:
        check_file(options.out, "--out")
    elif Path(options.out).exists():
        raise OutputError(f"--out {options.out}: exists; a bag needs a new folder")
    known = (None, *TRAJECTORIES)
    if options.trajectory not in known and not options.trajectory.endswith(YAML_ENDINGS):
        raise SettingsError(
            f"--trajectory {options.trajectory}: invalid choice, must be one of {', '.join(TRAJECTORIES)}, "
            f"or a motion file (.yaml){did_you_mean(options.trajectory, TRAJECTORIES)}"
        )
    # MuJoCo takes longer to load than most commands run
    if is_mechanism(options.machine):
        from .mechanism_simulation import simulate as simulate_mechanism

        return simulate_mechanism(options, run, 0.0 if options.perfect else sensors.current_noise)
    if options.trajectory is None:
        raise SettingsError(f"--trajectory: one of {', '.join(TRAJECTORIES)}")
    from pkm_identification.simulation import Payload, perturbed, simulate
    from pkm_identification.simulation.faults import parse_fault
    from pkm_identification.simulation.scenario import Scenario

    nominal = Machine.load(options.machine)
    if is_csv and not options.si:
        _check_raw(nominal)
    truth = perturbed(nominal, run.seed, run.perturbation) if run.perturbation else nominal
    faults = [parse_fault(text) for text in options.faults]
    if run.payload_set_down and not run.payload:
        raise SettingsError("--set-down: there is nothing to set down without --payload")
    payload = Payload.parse(run.payload, run.payload_set_down or math.inf) if run.payload else None
    record = simulate(
        truth,
        options.trajectory,
        run.duration or None,
        nominal=nominal,
        sensors=SensorSettings.perfect() if options.perfect else sensors,
        seed=run.seed,
        payload=payload,
        faults=faults,
        scenario=Scenario.read(run.scenario) if run.scenario else None,
    )
    if is_csv and not options.si:
        additional = record.imu, record.sensor, record.motor_length
        write_raw_csv(options.out, record.time, record.counts, record.current, *additional)
    else:
        log = record.log()
        if is_csv:
            write_strut_csv(options.out, log, record.motor_length)
        else:
            # a stamp of zero means "no stamp" in ROS
            later = replace(log, time=log.time + FIRST_STAMP)
            names = nominal.joint_names
            write_log(options.out, later, options.storage or STORAGES[0], record.motor_length, names)
    print(
        f"{len(record)} samples of '{options.trajectory}' -> {options.out} (loop gap {record.loop_gap:.1e} m)",
        file=sys.stderr,
    )
    return 0
