# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What searched motions are worth beside `rich`: `python -m benchmarks.excite [--budget S] [--achieved] [--limits N]`.

The forecast is that of `pkm excite`; what is achieved are errors of `identify --estimator ls` on simulated machines
that are off their files by up to 15 %, each after 20 s of `rich` and of the searched motion. `--forecasts` holds
deviations before the experiment against those stated afterwards. `--limits` tries motions of many seeds twenty times
finer.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from pkm_identification.identification.excitation.criteria import Criterion
from pkm_identification.identification.excitation.search import Excitation, search
from pkm_identification.identification.excitation.subject import GRID, Subject
from pkm_identification.identification.identify import identify
from pkm_identification.identification.procedures.forecast import ALONE, forecast, log_of_motion
from pkm_identification.identification.settings import Settings
from pkm_identification.machines.capabilities import HexapodFile, has, require
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.simulation.perturbation import perturb_machine
from pkm_identification.simulation.simulator import Simulator, simulate
from pkm_identification.simulation.trajectories import Trajectory, trajectory, within_limits

DURATION = 20.0  # s
LEAST = Settings.of(estimator="ls", hold_out=0.0)
FRICTION = (Kind.VISCOUS, Kind.COULOMB)
OFF = 0.15
LOWEST, HIGHEST = 0.6, 1.6  # forecast over stated deviation


def main() -> None:
    """Print the rows of the table in docs/identifiability.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=float, default=120.0, help="s of search for each machine")
    parser.add_argument("--machines", default="uf,hexel,ford,mast")
    parser.add_argument("--achieved", type=int, default=0, metavar="N", help="on so many simulated machines")
    parser.add_argument("--forecasts", type=int, default=0, metavar="N", help="on so many simulated machines")
    parser.add_argument("--motions", default="rich", help="of --forecasts, with commas between")
    parser.add_argument("--duration", type=float, default=DURATION, help="s, of these motions")
    parser.add_argument(
        "--limits", type=int, default=0, metavar="N", help="of so many seeds, a tenth of the budget each"
    )
    options = parser.parse_args()
    for name in options.machines.split(","):
        subject = _subject(name)
        if options.limits:
            _limits(subject, options.limits, options.budget / 10)
        elif options.forecasts:
            for motion in options.motions.split(","):
                _forecasts(Machine.load(name), motion, options.duration, options.forecasts)
        else:
            found = _searched(subject, options.budget, 0)
            _forecast(name, subject, found)
            if options.achieved and has(subject.machine, HexapodFile):
                _achieved(subject, found, options.achieved)


def _subject(name: str) -> Subject:
    machine = load_machine(name)
    return Subject.of(machine, LEAST.parameter_set(machine), DURATION)


def _searched(subject: Subject, budget: float, seed: int) -> Excitation:
    return search(subject, Criterion("d", subject.scale, subject.kinds), budget, seed)


def _mean(values: FloatArray) -> float:
    return float(np.exp(np.mean(np.log(values))))


def _forecast(name: str, subject: Subject, found: Excitation) -> None:
    friction = np.array([kind in FRICTION for kind in subject.kinds])
    text = f"{name}: forecast, rich / ours: inertial {_mean(found.gain[~friction]):.2f}"
    if friction.any():
        text += (
            f", friction {_mean(found.gain[friction]):.2f}, worst {1 / found.gain[friction].min():.2f} times"
        )
    print(f"{text}; {found.tried} motions tried", flush=True)


def _achieved(subject: Subject, found: Excitation, count: int) -> None:
    """Errors after `rich` over those after the motion, rms over machines."""
    machine = require(subject.machine, HexapodFile, "--achieved").description
    friction = np.array([kind in FRICTION for kind in subject.kinds])
    paths = (
        trajectory("rich", machine, DURATION),
        replace(subject.path, name="excite", signal=found.signal),
    )
    errors = [np.array([_errors(machine, path, seed) for seed in range(1, count + 1)]) for path in paths]
    rich, ours = (np.sqrt(np.mean(part**2, axis=0)) for part in errors)
    ratio = rich / ours
    for name, one in zip(subject.names, ratio, strict=True):
        print(f"  {name}: {one:.2f}")
    print(
        f"{machine.name}: achieved on {count} machines: inertial {_mean(ratio[~friction]):.2f}, "
        f"friction {_mean(ratio[friction]):.2f}",
        flush=True,
    )


def _errors(machine: Machine, path: Trajectory, seed: int) -> FloatArray:
    truth = perturb_machine(machine, seed, OFF)
    log = Simulator(truth, path, nominal=machine, seed=seed).run().log()
    found = identify([log], machine, LEAST).estimate
    return found.values - LEAST.parameter_set(truth).nominal


def _forecasts(machine: Machine, name: str, duration: float, count: int) -> None:
    """Deviations before the experiment over the random part of those stated after it, machine by machine.

    Of the parameters that the forecast calls alone; on so many machines statuses are the same after the experiment.
    """
    path = trajectory(name, machine, duration)
    motion = path.motion(np.arange(0.0, path.duration, 1e-3))
    before = forecast([log_of_motion(machine, motion, 0.01)], machine, LEAST, [motion])
    alone = np.array([status == ALONE for status in before.status])
    ratios, same = [], 0
    for seed in range(1, count + 1):
        truth = perturb_machine(machine, seed, OFF)
        log = simulate(truth, name, duration, nominal=machine, seed=seed).log()
        after = forecast([log], machine, LEAST)
        same += after.status == before.status
        ratios.append((before.estimate.std / after.estimate.std)[alone])
    every = np.array(ratios)
    outside = ((every < LOWEST) | (every > HIGHEST)).sum(axis=0)
    names = np.array(before.estimate.names)[alone]
    named = ", ".join(f"{name} on {n}" for name, n in zip(names, outside, strict=True) if n)
    print(
        f"{machine.name}, {name}, {duration:g} s, {count} machines: {alone.sum()} of {len(alone)} alone, forecast / "
        f"stated {every.min():.2f} to {every.max():.2f}, median {np.median(every):.2f}; "
        f"outside {LOWEST} to {HIGHEST}: {named or 'none'}; same statuses on {same}",
        flush=True,
    )


def _limits(subject: Subject, count: int, budget: float) -> None:
    if not has(subject.machine, HexapodFile):
        return
    kept = 0
    instants = np.arange(0.0, DURATION, GRID / 20)
    for seed in range(count):
        path = replace(subject.path, signal=_searched(subject, budget, seed).signal)
        kept += within_limits(
            require(subject.machine, HexapodFile, "--limits").description, path.motion(instants)
        )
    print(f"{subject.machine.name}: limits kept {kept} of {count}", flush=True)


if __name__ == "__main__":
    main()
