# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm simulate of a mechanism: what its drives report, as a table."""

from __future__ import annotations

import argparse
import sys

from pkm_identification.declared import declarations
from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.records.mechanism_csv import write_named_csv
from pkm_identification.simulation.multibody.motions import generated, own_motion
from pkm_identification.simulation.multibody.simulator import simulate_mechanism
from pkm_identification.simulation.run_settings import FAULTS, RunSettings

from .arguments import refuse_for_mechanism

HEXAPODS_OWN = ("perturbation", "payload", "payload_set_down", "scenario")


def simulate(options: argparse.Namespace, run: RunSettings, noise: float) -> int:
    """Follow a generated motion, or the description's own where none is named; `noise` is of the forces, relative."""
    flags = {name: declaration.flag for name, declaration in declarations(RunSettings).items()}
    own = {name: flags[name] for name in HEXAPODS_OWN} | {"faults": FAULTS.flag}
    refuse_for_mechanism(options, **own, si="--si", storage="--storage")
    if not str(options.out).endswith((".csv", ".csv.gz")):
        raise SettingsError(f"--out {options.out}: a mechanism's log is a .csv or .csv.gz")
    mechanism = Mechanism.load(options.machine)
    if options.trajectory is None:
        motion = own_motion(mechanism, run.duration or None)
    else:
        motion = generated(options.trajectory, mechanism, run.duration or None)
    recording = simulate_mechanism(mechanism, motion, noise, run.seed)
    columns = dict(zip(mechanism.drive_names, recording.drive.T, strict=True))
    columns |= dict(zip(mechanism.force_names, recording.force.T, strict=True))
    write_named_csv(options.out, columns, recording.time)
    print(
        f"{len(recording)} samples of '{motion.name}' -> {options.out} (loop gap {recording.loop_gap:.1e} m)",
        file=sys.stderr,
    )
    return 0
