# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.deviations_parts`: where errors of one log come from, one thing changed at a time; no times.

The same log with several realisations of the forces' noise: what differs between them is random, the rest systematic.
Both are root mean squares over what is identified, in Cramer-Rao bounds (`benchmarks.deviations`).
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.simulation.sensors import SensorSettings
from pkm_identification.simulation.simulator import simulate

from .deviations import FOLDER, SHOWN, bound
from .deviations_logs import DURATION, MOTIONS, machine_pair, noisy, simulated

FIRST_SEED = 100


def online(log: DriveLog, machine: Machine, told: bool = True) -> ParameterEstimate:
    """Estimated sample by sample; if not `told`, rounding stays in friction, as of exact lengths."""
    settings = Settings.of(causal=True).resolve(machine)
    pipeline = OnlinePipeline(machine, settings)
    if not told:
        pipeline.estimator.rounding.open = False
    assert log.force is not None
    for sample in zip(log.time, log.length, log.force, strict=True):
        pipeline.step(*sample)
    return pipeline.estimate


def offline(log: DriveLog, machine: Machine) -> ParameterEstimate:
    """Estimated by least squares."""
    return identify([log], machine, Settings.of(estimator="ls", hold_out=0.0)).estimate


def exact_log(number: int, motion: str) -> DriveLog:
    """The log of a machine that is controlled by exact lengths, without noise."""
    nominal, truth = machine_pair(number)
    record = simulate(
        truth,
        motion,
        DURATION,
        nominal=nominal,
        sensors=SensorSettings.perfect(),
        seed=number,
        motion_seed=number,
    )
    return DriveLog(record.time, record.length, record.force, "exact")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.deviations_parts", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--machine", type=int, default=0)
    parser.add_argument("--motion", choices=MOTIONS, default="rich")
    parser.add_argument("--noise", type=float, default=0.005, help="share of the rms force")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where logs are kept")
    options = parser.parse_args()
    nominal, truth = machine_pair(options.machine)
    true = list_hexapod_parameters(truth).nominal
    bounds = bound(options.folder, options.machine, options.motion, options.noise)[: len(true)]
    log = simulated(options.folder, options.machine, options.motion)
    assert nominal.drive is not None
    count, exact = 1.0 / nominal.drive.counts_per_meter, exact_log(options.machine, options.motion)
    rounded = replace(exact, coordinate=count * np.rint(exact.length / count))
    print("| what | all | random | systematic |\n|---|---|---|---|")
    for name, base, way in (
        ("least squares offline", log, offline),
        ("sample by sample", log, online),
        ("rounding left in friction", log, lambda one, machine: online(one, machine, told=False)),
        ("control and log of exact lengths", exact, online),
        ("control of exact lengths, rounded in the log alone", rounded, online),
    ):
        estimates = [
            way(noisy(base, nominal, options.noise, FIRST_SEED + seed), nominal)
            for seed in range(options.seeds)
        ]
        shown = np.array([status in SHOWN for status in estimates[0].status])
        errors = np.array([(one.values - true) / bounds for one in estimates])[:, shown]
        whole, random = np.mean(errors**2), np.mean(np.var(errors, axis=0, ddof=1))
        print(
            f"| {name} | {np.sqrt(whole):.2f} | {np.sqrt(random):.2f} | {np.sqrt(max(whole - random, 0.0)):.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
