# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.doublings`: what twice as many samples, parameters and drives cost.

Processor time of this process, the least of some rounds, which other programs disturb least. Samples: a whole
identification by least squares, its diagnosis in it. Parameters: making the equations of 20 s and solving them, with
parameter sets and friction laws of different size; and a step of the recursive filters, which is to grow with the
square of them. Drives: forces and regressor of four-bars, each on the coupler of the one before, a loop and a drive
each. Drawn with --out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from time import process_time
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.api.logs import simulate
from pkm_identification.estimation.estimators import ESTIMATORS, Tuning
from pkm_identification.estimation.problem import Problem
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.friction import Friction
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody import dynamics, kinematics
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.motion import DriveLog
from pkm_identification.report.figures.style import NOMINAL, STRUT_COLORS, apply_style

from .timing import Case, interleaved

MACHINE = "uf"
SECONDS = 20.0  # of the log whose parameters are counted
LENGTHS = (15_000, 30_000, 60_000, 120_000)  # samples
SETS = ("oh12", "identifiable", "extended", "general")
DRIVES = (1, 2, 4, 8, 16)
BATCH = 500  # states of a mechanism
EQUATIONS = 200  # for which a recursive filter is timed


@dataclass(frozen=True)
class Course:
    """Seconds over a size, ascending, and in what order they are to grow at most."""

    name: str
    of: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def factors(self) -> tuple[float, ...]:
        """What a doubling costs between successive sizes."""
        points = list(zip(self.sizes, self.seconds, strict=True))
        return tuple((t / s) ** (np.log(2.0) / np.log(n / m)) for (m, s), (n, t) in pairwise(points))


def main() -> int:
    """Measure, print and draw."""
    options = _parser().parse_args()
    courses: list[Course] = []
    for measured in (by_samples, by_parameters, by_drives):
        for course in measured(options.rounds):
            courses.append(course)
            told = ", ".join(
                f"{n}: {1e3 * s:.4g} ms" for n, s in zip(course.sizes, course.seconds, strict=True)
            )
            doubled = ", ".join(f"{factor:.2f}" for factor in course.factors)
            print(f"{course.name}, {course.of}: {told}; a doubling: {doubled}", flush=True)
    if options.out:
        drawn(courses).savefig(options.out, dpi=100)
    return 0


def by_samples(rounds: int) -> list[Course]:
    """Whole identifications."""
    machine = Machine.load(MACHINE)
    (log,) = simulate(MACHINE, "rich", 1e-3 * max(LENGTHS), perturb=0.1, seed=1)
    settings = Settings.of(estimator="ls")

    def work(count: int) -> Callable[[], object]:
        part = _beginning(log, count)
        return lambda: identify([part], machine, settings)

    return [_course("identification, least squares", "samples", {n: work(n) for n in LENGTHS}, rounds)]


def by_parameters(rounds: int) -> list[Course]:
    """Equations and fit, by the number of parameters; a step of filters."""
    (log,) = simulate(MACHINE, "rich", SECONDS, perturb=0.1, seed=1)
    machine = Machine.load(MACHINE)
    own = machine.friction
    bent = Friction.of(
        "asymmetric",
        viscous=own.viscous,
        coulomb=own.coulomb,
        asymmetry=np.zeros(6),
        transition_rate=own.transition_rate,
    )
    asymmetric = replace(machine, friction=bent)
    problems: dict[int, tuple[Experiment, Problem]] = {}
    for name, which in (*((name, machine) for name in SETS), ("identifiable", asymmetric)):
        experiment = Experiment.of([log], which, Settings.of(estimator="ls", parameters=name))
        problem = experiment.problem()
        problems[len(problem.parameters)] = experiment, problem
    problems = dict(sorted(problems.items()))

    def fit(problem: Problem, estimator: str) -> Callable[[], object]:
        return lambda: ESTIMATORS[estimator].fit(problem, Tuning(passes=1))

    courses = [
        _course(
            "equations of 20 s", "parameters", {n: one.problem for n, (one, _) in problems.items()}, rounds
        ),
        _course(
            "least squares of 20 s", "parameters", {n: fit(p, "ls") for n, (_, p) in problems.items()}, rounds
        ),
    ]
    few = {n: _few(problem) for n, (_, problem) in problems.items()}
    for name in ("ukf", "rls"):
        cases = {n: fit(problem, name) for n, problem in few.items()}
        courses.append(_course(f"{EQUATIONS} equations, {name}", "parameters", cases, rounds))
    return courses


def by_drives(rounds: int) -> list[Course]:
    """Forces and regressor of mechanisms with a loop for each drive."""
    cases: dict[str, dict[int, Callable[[], object]]] = {"motion": {}, "forces": {}, "regressor": {}}
    rng = np.random.default_rng(3)
    for count in DRIVES:
        mechanism = Mechanism.from_document(four_bars(count))
        place = 1.2 + 0.1 * rng.standard_normal((BATCH, count))
        rate, acceleration = rng.standard_normal((2, BATCH, count))

        def moved(mechanism: Mechanism = mechanism, state: Any = (place, rate, acceleration)) -> Any:
            return kinematics.motion_of_drives(mechanism, *state)

        motion = moved()
        cases["motion"][count] = moved
        cases["forces"][count] = lambda one=mechanism, motion=motion: dynamics.forces(one, motion)
        cases["regressor"][count] = lambda one=mechanism, motion=motion: dynamics.regressor(one, motion)
    return [_course(f"{BATCH} states, {name}", "drives", these, rounds) for name, these in cases.items()]


def four_bars(count: int) -> dict[str, Any]:
    """A description of four-bars, each on the coupler of the one before: a loop and a drive each."""
    import yaml

    once = yaml.safe_load(list_builtin_files("mechanisms")["four-bar"].read_text(encoding="utf-8"))
    document: dict[str, Any] = {
        **{key: once[key] for key in ("schema", "kind", "gravity", "constants")},
        "name": f"{count} four-bars", "bodies": {}, "joints": {}, "drives": {}, "home": {"drives": {}, "guess": {}},
    }  # fmt: skip
    for k in range(count):
        below = "ground" if k == 0 else f"coupler_{k - 1}"
        document["bodies"] |= {f"{name}_{k}": body for name, body in once["bodies"].items()}
        for name, joint in once["joints"].items():
            ends = [below if body == "ground" else f"{body}_{k}" for body in joint["bodies"]]
            document["joints"][f"{name}_{k}"] = {**joint, "bodies": ends}
        document["drives"][f"q_{k}"] = {"joint": f"crank_pivot_{k}", "force": f"torque_{k}"}
        document["home"]["drives"][f"q_{k}"] = once["home"]["drives"]["q"]
        document["home"]["guess"] |= {f"{name}_{k}": at for name, at in once["home"]["guess"].items()}
    return document


def _beginning(log: DriveLog, count: int) -> DriveLog:
    force = None if log.force is None else log.force[:count]
    return replace(log, time=log.time[:count], coordinate=log.length[:count], force=force)


def _few(problem: Problem) -> Problem:
    return problem.part(np.arange(len(problem.equations)) < EQUATIONS)


def _course(name: str, of: str, work: dict[int, Callable[[], object]], rounds: int) -> Course:
    timings = interleaved([Case(str(size), run) for size, run in work.items()], rounds, process_time)
    return Course(name, of, tuple(work), tuple(timings[str(size)].best for size in work))


@apply_style
def drawn(courses: list[Course]) -> Figure:
    """Time over each size, beside what is proportional to it."""
    kinds = list(dict.fromkeys(course.of for course in courses))
    figure = Figure(figsize=(12, 4), layout="constrained")
    for axes, kind in zip(np.atleast_1d(figure.subplots(1, len(kinds))), kinds, strict=True):
        own = [course for course in courses if course.of == kind]
        for k, course in enumerate(own):
            color = STRUT_COLORS[k]
            axes.loglog(course.sizes, course.seconds, "o-", color=color, label=course.name)
            first, last = course.sizes[0], course.sizes[-1]
            axes.loglog(
                [first, last], [course.seconds[0], course.seconds[0] * last / first], ":", color=color
            )
        axes.plot([], [], ":", color=NOMINAL, label="in proportion")
        axes.set(xlabel=kind, ylabel="processor time, s")
        sizes = own[0].sizes
        # 52 and 58 would stand on each other
        apart = [size for size, after in zip(sizes, [*sizes[1:], np.inf], strict=True) if after > 1.2 * size]
        axes.set_xticks(apart, [f"{size:,}".replace(",", " ") for size in apart])
        axes.set_xticks([], minor=True)
        # below the panel: courses fill it
        axes.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    return figure


def _parser() -> argparse.ArgumentParser:
    summary, details = (__doc__ or "").split("\n", 1)
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.doublings", description=summary, epilog=details
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument("--out", metavar="FILE", help="a drawing")
    return parser


if __name__ == "__main__":
    sys.exit(main())
