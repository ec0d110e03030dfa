"""pkm simulate of a mechanism: what its drives report, as a table."""

from __future__ import annotations

import argparse
import sys

from pkm_identification.errors import SettingsError
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.records.mechanism_csv import write_named_csv
from pkm_identification.simulation.multibody.motions import generated, stated
from pkm_identification.simulation.multibody.simulator import simulate_mechanism

from .arguments import refuse_for_mechanism

NOISE = 1.0  # %, of the forces


def simulate(options: argparse.Namespace) -> int:
    """Follow a generated motion, or the description's own where none is named."""
    hexapods_own = ("perturb", "fault", "payload", "set_down", "si", "storage")
    refuse_for_mechanism(options, **{name: "--" + name.replace("_", "-") for name in hexapods_own})
    if not str(options.out).endswith((".csv", ".csv.gz")):
        raise SettingsError(f"--out {options.out}: a mechanism's log is a .csv or .csv.gz")
    mechanism = Mechanism.load(options.machine)
    if options.trajectory is None:
        motion = stated(mechanism, options.duration)
    else:
        motion = generated(options.trajectory, mechanism, options.duration)
    noise = 0.0 if options.perfect else NOISE if options.noise is None else options.noise
    run = simulate_mechanism(mechanism, motion, noise / 100, options.seed)
    columns = dict(zip(mechanism.drive_names, run.drive.T, strict=True))
    columns |= dict(zip(mechanism.force_names, run.force.T, strict=True))
    write_named_csv(options.out, columns, run.time)
    print(
        f"{len(run)} samples of '{motion.name}' -> {options.out} (loop gap {run.loop_gap:.1e} m)",
        file=sys.stderr,
    )
    return 0
