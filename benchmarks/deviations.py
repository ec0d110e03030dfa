# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.deviations`: whether stated deviations are what errors really are; no times.

Machines drawn at random (three designs, masses and moments up to 20 % off the file, friction that the file does not
know) move in three motions; forces have three levels of noise. Each log is identified offline, with `--causal` and
sample by sample as in the nodes, and errors are set beside the deviations stated.

The squared normalised error per parameter is the mean of ((estimate - truth) / std)^2 over what is identified; 1 is
ideal. `joint` is the same of the whole covariance, e^T P^-1 e / n, where correlations count too. `bound` is the root
mean square of error over the Cramer-Rao bound of known, white force noise and exact lengths: rounding of the lengths
and what low-passes do to friction come on top of it, and do not shrink with the noise of the forces.

Logs and results are kept in a folder, so that a run that was cut off goes on; results of other versions of the code are
not used. One process, no other workers. A whole run writes its table to docs/deviations.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter

import numpy as np

import pkm_identification
from pkm_identification.errors import PkmError
from pkm_identification.estimation.estimate import ParameterEstimate
from pkm_identification.identification.experiment import Experiment
from pkm_identification.identification.identify import identify
from pkm_identification.identification.online.pipeline import OnlinePipeline
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.sets import list_hexapod_parameters
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.signals.butterworth import zero_phase

from .deviations_logs import MOTIONS, machine_pair, noisy, simulated
from .surroundings import ROOT

MACHINES, QUICK_MACHINES = 24, 6
NOISES = (0.0005, 0.005, 0.01)  # of each strut's rms force
METHODS = ("offline", "causal", "online")
FOLDER = ROOT / "build" / "deviations"
SHOWN = ("identifiable", "in_doubt")
WANTED, LARGEST, WANTED_RATIO = (0.7, 1.4), 4.0, 1.5
# Kinds of parameters by how their names begin.
KINDS = {"masses": ("m_",), "moments": ("I",), "viscous": ("viscous",), "Coulomb": ("coulomb",)}


@dataclass(frozen=True)
class Outcome:
    """One identification: of what is identified, errors over deviations and over bounds by name, and both over all."""

    machine: int
    motion: str
    noise: float
    method: str
    errors: dict[str, float]
    ratios: dict[str, float]
    joint: float
    bound: float
    failure: str = ""


@lru_cache(maxsize=1)
def whitened(folder: Path, number: int, motion: str) -> tuple[FloatArray, FloatArray]:
    """Offline equations (K, P) of one log, whitened for noise as large as the rms forces, and the scales (P,).

    Columns are in units of the prior's standard deviations, which are those scales.
    """
    nominal, _ = machine_pair(number)
    exact = simulated(folder, number, motion)
    assert exact.force is not None
    experiment = Experiment.of([exact], nominal)
    problem, band = experiment.problem(), experiment.settings.band
    impulse = np.zeros(2 * band.settling + 1)
    impulse[band.settling] = 1.0
    passed = float(np.sum(zero_phase(band.sections, impulse) ** 2))
    std = np.sqrt(np.mean(exact.force**2, axis=0) * passed * band.redundancy)
    rows = problem.equations.regressor * problem.prior.std / std[:, None]
    return rows.reshape(-1, len(problem.prior.std)), problem.prior.std


def bound(folder: Path, number: int, motion: str, noise: float) -> FloatArray:
    """Cramer-Rao bound (P,) of one log, nuisance parameters last, from the offline equations and the noise added."""
    rows, scale = whitened(folder, number, motion)
    return np.sqrt(np.diag(np.linalg.inv(rows.T @ rows / noise**2 + np.eye(len(scale))))) * scale


def estimated(method: str, log: DriveLog, machine: Machine) -> ParameterEstimate:
    """The estimate of one log; raises PkmError where there is none."""
    if method == "online":
        pipeline = OnlinePipeline(machine, Settings.of(causal=True).resolve(machine))
        assert log.force is not None
        for sample in zip(log.time, log.length, log.force, strict=True):
            pipeline.step(*sample)
        return pipeline.estimate
    return identify([log], machine, Settings.of(causal=method == "causal", hold_out=0.0)).estimate


def outcome(folder: Path, number: int, motion: str, noise: float, method: str) -> Outcome:
    """Identify one log and compare with the truth."""
    nominal, truth = machine_pair(number)
    log = noisy(simulated(folder, number, motion), nominal, noise, number)
    try:
        estimate = estimated(method, log, nominal)
    except PkmError as refused:
        return Outcome(number, motion, noise, method, {}, {}, np.nan, np.nan, str(refused))
    shown = np.array([status in SHOWN for status in estimate.status])
    error = (estimate.values - list_hexapod_parameters(truth).nominal)[shown]
    names = [name for name, one in zip(estimate.names, shown, strict=True) if one]
    normalised = error / estimate.std[shown]
    ratios = error / bound(folder, number, motion, noise)[: len(shown)][shown]
    return Outcome(
        number,
        motion,
        noise,
        method,
        dict(zip(names, normalised.tolist(), strict=True)),
        dict(zip(names, ratios.tolist(), strict=True)),
        float(error @ np.linalg.solve(estimate.covariance[np.ix_(shown, shown)], error)) / len(error),
        float(np.sqrt(np.mean(ratios**2))),
    )


def code() -> str:
    """What tells versions of the code apart."""
    root = Path(pkm_identification.__file__).parent
    digest = hashlib.sha256()
    for path in [*sorted(root.rglob("*.py")), *sorted(Path(__file__).parent.glob("deviations*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


class Kept:
    """Outcomes of this version of the code, one line each, kept as they come."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"results_{code()}.jsonl"
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.is_file() else []
        made = [Outcome(**json.loads(line)) for line in lines if line.endswith("}")]
        self.outcomes = {(one.machine, one.motion, one.noise, one.method): one for one in made}

    def add(self, one: Outcome) -> None:
        self.outcomes[(one.machine, one.motion, one.noise, one.method)] = one
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(one)) + "\n")


def table(outcomes: list[Outcome]) -> list[str]:
    """Rows of the table: one for each way, motion and noise, then all motions of a noise, then all of a way."""
    rows = [
        "| way | motion | noise | logs | identified | squared error per parameter | joint | largest | over "
        f"{LARGEST:g} | error over bound |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for method in METHODS:
        cells = [(motion, noise) for motion in MOTIONS for noise in NOISES]
        for motion, noise in [*cells, *(("all", noise) for noise in NOISES), ("all", None)]:
            chosen = [
                one
                for one in outcomes
                if one.method == method
                and one.errors
                and motion in (one.motion, "all")
                and noise in (one.noise, None)
            ]
            if not chosen:
                continue
            every = np.array([value for one in chosen for value in one.errors.values()])
            joint = np.average([one.joint for one in chosen], weights=[len(one.errors) for one in chosen])
            ratio = np.sqrt(np.mean([one.bound**2 for one in chosen]))
            rows.append(
                f"| {method} | {motion} | {'' if noise is None else f'{100 * noise:g} %'} | {len(chosen)} | "
                f"{len(every) / len(chosen):.1f} | {np.mean(every**2):.2f} | {joint:.2f} | "
                f"{np.abs(every).max():.1f} | {np.count_nonzero(np.abs(every) > LARGEST)} | {ratio:.2f} |"
            )
    return rows


def table_of_kinds(outcomes: list[Outcome]) -> list[str]:
    """Rows of the second table: kinds of parameters, every way; all motions and noises, then the bound by noise."""
    rows = [
        "| parameters | way | number | squared error | largest | "
        + " | ".join(f"error over bound, {100 * noise:g} %" for noise in NOISES)
        + " |",
        "|---|---|---|---|---|" + "---|" * len(NOISES),
    ]
    for kind, heads in {**KINDS, "all": ("",)}.items():
        for method in METHODS:
            of_way = [one for one in outcomes if one.method == method]
            errors = np.array(
                [value for one in of_way for name, value in one.errors.items() if name.startswith(heads)]
            )
            if not len(errors):
                continue
            cells = []
            for noise in NOISES:
                ratios = [
                    value
                    for one in of_way
                    if one.noise == noise
                    for name, value in one.ratios.items()
                    if name.startswith(heads)
                ]
                cells.append(f"{np.sqrt(np.mean(np.square(ratios))):.2f}" if ratios else "–")
            rows.append(
                f"| {kind} | {method} | {len(errors)} | {np.mean(errors**2):.2f} | {np.abs(errors).max():.1f} | "
                + " | ".join(cells)
                + " |"
            )
    return rows


def page(outcomes: list[Outcome], asked: int) -> str:
    """docs/deviations.md, of so many of the identifications asked for."""
    machines = len({one.machine for one in outcomes})
    failed = [one for one in outcomes if one.failure]
    lines = [
        "# Stated deviations beside errors",
        f"Written by `python -m benchmarks.deviations` ({len(outcomes)} of {asked} identifications, of {machines} of "
        f"{MACHINES} machines; {len(failed)} refused). {' '.join((__doc__ or '').split(chr(10) * 2)[1].split())}",
        "",
        " ".join((__doc__ or "").split(chr(10) * 2)[2].split()),
        f"Wanted: squared error between {WANTED[0]} and {WANTED[1]}, no error over {LARGEST:g} deviations, and online "
        f"an error over bound below {WANTED_RATIO:g} at 0.5 and 1 % noise.",
        "",
        *table(outcomes),
        "",
        "By kind of parameter, all motions and noises together:",
        "",
        *table_of_kinds(outcomes),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Run what is not kept yet, print the table, write the page of a whole run."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.deviations", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_MACHINES} machines instead of {MACHINES}"
    )
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where logs and results are kept")
    parser.add_argument(
        "--minutes", type=float, default=np.inf, help="stop after so long; run again to go on"
    )
    parser.add_argument(
        "--out", type=Path, help="write the page here (default of a whole run: docs/deviations.md)"
    )
    parser.add_argument(
        "--noises",
        type=float,
        nargs="+",
        choices=NOISES,
        default=NOISES,
        help="these alone, shares of the rms force (default: all)",
    )
    options = parser.parse_args()
    start, kept = perf_counter(), Kept(options.folder)
    count = QUICK_MACHINES if options.quick else MACHINES
    cases = [
        (number, motion, noise, method)
        for number in range(count)
        for motion in MOTIONS
        for noise in options.noises
        for method in METHODS
    ]
    for case in cases:
        if case in kept.outcomes:
            continue
        if perf_counter() - start > 60.0 * options.minutes:
            break
        kept.add(outcome(options.folder, *case))
    done = [kept.outcomes[case] for case in cases if case in kept.outcomes]
    print("\n".join([*table(done), "", *table_of_kinds(done)]))
    out = options.out
    if out is None and len(done) == MACHINES * len(MOTIONS) * len(NOISES) * len(METHODS):
        out = ROOT / "docs" / "deviations.md"
    if out is not None:
        out.write_text(page(done, len(cases)), encoding="utf-8")
        print(f"written: {out}")


if __name__ == "__main__":
    main()
