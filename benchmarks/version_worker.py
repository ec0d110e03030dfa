# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Times one version of the package, which must be the first on the path; `benchmarks.versions` starts it.

It writes the names of what it can time, then reads one name a line and answers with processor seconds per operation.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

PACKAGE = "pkm_identification"
FOLDER = Path(importlib.import_module(PACKAGE).__file__ or "").parent
# Where things are: now, and before the rooms were made.
PLACES = {
    "Machine": ("mechanisms.hexapod.machine", "machine"),
    "PlatformMotion": ("motion",),
    "forward_kinematics": ("mechanisms.hexapod.kinematics", "kinematics"),
    "strut_lengths": ("mechanisms.hexapod.kinematics", "kinematics"),
    "strut_forces": ("mechanisms.hexapod.dynamics", "dynamics"),
    "regressor": ("mechanisms.hexapod.dynamics", "dynamics"),
    "forward_dynamics": ("mechanisms.hexapod.dynamics", "dynamics"),
    "SparseMapping": ("mechanisms.hexapod.dynamics.regressor", "dynamics.regressor"),
    "list_hexapod_parameters": ("mechanisms.hexapod.parameters.sets",),
    "hexapod_parameters": ("mechanisms.hexapod.parameters.sets",),
    "ParameterSet": ("parameters.parameter_set", "estimation.parameters.parameter_set"),
    "Prior": ("parameters.prior", "estimation.parameters.prior"),
    "UnscentedFilter": ("estimation.filters.unscented",),
    "matrix_from_vector": ("numerics.rotation", "rotation"),
    "trajectory": ("simulation",),
    "OnlinePipeline": ("identification.online.pipeline", "pipeline"),
}
PERIOD = 1e-3  # s
BATCH, SINGLE, EQUATIONS, STEPS = 2000, 200, 40, 1000


def take(name: str) -> Any:
    """A name of the package, wherever this version has it; None if nowhere.

    An installed package, whose messages are part of it, lends modules that this version has not.
    """
    for place in PLACES[name]:
        path = FOLDER.joinpath(*place.split("."))
        if path.is_dir() or path.with_suffix(".py").is_file():
            return getattr(importlib.import_module(f"{PACKAGE}.{place}"), name)
    return None


def states(machine: Any, count: int, seed: int) -> Any:
    """Random states of the workspace, as in `benchmarks.states`."""
    rng = np.random.default_rng(seed)
    position = machine.home_position + rng.uniform(-0.03, 0.03, (count, 3))
    rotation = take("matrix_from_vector")(rng.uniform(-0.1, 0.1, (count, 3))) @ machine.home_rotation
    twist, acceleration = rng.normal(0.0, 0.5, (count, 6)), rng.normal(0.0, 10.0, (count, 6))
    return take("PlatformMotion")(PERIOD * np.arange(count), position, rotation, twist, acceleration)


def rows(motion: Any) -> list[Any]:
    return [type(motion)(*(part[n : n + 1] for part in parts_of(motion))) for n in range(len(motion.time))]


def parts_of(motion: Any) -> tuple[Any, ...]:
    return motion.time, motion.position, motion.rotation, motion.twist, motion.acceleration


def cases() -> dict[str, tuple[Callable[[], Any], int]]:
    """What is timed, and how many operations one call of it does."""
    machine = take("Machine").load("uf")
    many, few = states(machine, BATCH, 1), rows(states(machine, SINGLE, 2))
    path = take("trajectory")("rich", machine, 30.0).motion(2.0 + PERIOD * np.arange(20 * STEPS))
    lengths = take("strut_lengths")(machine, path.position, path.rotation)
    targets = [(lengths[n : n + 1].copy(), (path.position[n - 1].copy(), path.rotation[n - 1].copy()))
               for n in range(1, SINGLE)]  # fmt: skip
    set_of = take("list_hexapod_parameters") or take("hexapod_parameters") or take("ParameterSet").of
    sparse, mapping = take("SparseMapping").of, set_of(machine, "identifiable").mapping
    mapping = sparse(machine, mapping) if "machine" in signature(sparse).parameters else sparse(mapping)
    wide = set_of(machine, "oh24")
    forward, forces, regressor = take("forward_kinematics"), take("strut_forces"), take("regressor")
    dynamics, drive = take("forward_dynamics"), np.random.default_rng(7).normal(0.0, 100.0, (BATCH, 6))
    at_rest = [(one.position, one.rotation, one.twist, drive[:1]) for one in few]
    short = lengths[:BATCH].copy()
    made = {
        "forward kinematics, batch": (lambda: forward(machine, short), BATCH),
        "forward kinematics, one call": (lambda: [forward(machine, *one) for one in targets], len(targets)),
        "strut forces, batch": (lambda: forces(machine, many), BATCH),
        "strut forces, one call": (lambda: [forces(machine, one) for one in few], SINGLE),
        "regressor, batch": (lambda: regressor(machine, many, mapping), BATCH),
        "regressor, one call": (lambda: [regressor(machine, one, mapping) for one in few], SINGLE),
        "forward dynamics, batch": (
            lambda: dynamics(machine, many.position, many.rotation, many.twist, drive, friction=False),
            BATCH,
        ),
        "forward dynamics, one call": (
            lambda: [dynamics(machine, *one, friction=False) for one in at_rest],
            SINGLE,
        ),
    }
    return made | filter_cases(machine, wide, path) | online_cases(machine, path, lengths)


def filter_cases(machine: Any, parameters: Any, path: Any) -> dict[str, tuple[Callable[[], Any], int]]:
    regressor, rng = take("regressor"), np.random.default_rng(8)
    prior = take("Prior").of(parameters)
    motion = type(path)(*(part[: 50 * EQUATIONS : 50].copy() for part in parts_of(path)))
    columns, singles = regressor(machine, motion, parameters.mapping), rows(motion)
    measured = columns @ prior.mean + 2.0 * rng.normal(size=(EQUATIONS, 6))
    noise, given, whole = (
        4.0 * np.eye(6),
        take("UnscentedFilter")(prior, 6),
        take("UnscentedFilter")(prior, 6),
    )

    def step_given() -> None:
        given.reset()
        for one, force in zip(columns, measured):
            given.step_linear(one, force, noise)

    def step_whole() -> None:
        whole.reset()
        for one, force in zip(singles, measured):
            whole.step_linear(regressor(machine, one, parameters.mapping)[0], force, noise)

    return {
        "UKF step 24 x 6, regressor given": (step_given, EQUATIONS),
        "UKF step 24 x 6, model included": (step_whole, EQUATIONS),
    }


def online_cases(machine: Any, path: Any, lengths: Any) -> dict[str, tuple[Callable[[], Any], int]]:
    count, rng = 1.0 / machine.drive.counts_per_meter, np.random.default_rng(9)
    force = take("strut_forces")(machine, path) + rng.normal(0.0, 1.0, lengths.shape)
    samples = list(zip(count * np.round(lengths / count), force))
    pipeline, number = take("OnlinePipeline")(machine), 0
    pipeline.warm_up()

    def steps() -> None:
        nonlocal number
        for _ in range(STEPS):
            pipeline.step(number * PERIOD, *samples[number % len(samples)])
            number += 1

    return {"online step, mean per sample": (steps, STEPS)}


def main() -> None:
    known = cases()
    for run, _ in known.values():
        run()
    print("\t".join(known), flush=True)
    gc.disable()
    for line in sys.stdin:
        run, operations = known[line.rstrip("\n")]
        start = process_time()
        run()
        print((process_time() - start) / operations, flush=True)


if __name__ == "__main__":
    main()
