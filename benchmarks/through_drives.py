"""`python -m benchmarks.through_drives`: what identification through drives costs in accuracy, over many machines.

Each machine differs from its file by up to 15 %, and is identified from the same motion with ideal drives and with each
kind of drive asked for. Printed are errors and stated deviations of masses, inertias and friction over the file's
values, in % and rms over machines, both as multiples of those of ideal drives; errors over deviations; and the misfit.
"""

from __future__ import annotations

import argparse
import copy
import sys
from dataclasses import dataclass

import numpy as np

from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.simulation.perturbation import perturbed
from pkm_identification.simulation.simulator import simulate

SPREAD, DURATION, MOTION = 0.15, 20.0, "rich"
SCREW = {
    "type": "screw", "torque_constant": 0.48, "lead": 0.02, "current_limit": 20.0, "inertia": 5.066e-5,
    "efficiency": 0.9, "back_efficiency": 0.85,
}  # fmt: skip
INSIDE = {"viscous": 400.0, "coulomb": 20.0}
GROUPS = {
    "masses": (Kind.MASS,),
    "inertias": (Kind.INERTIA,),
    "viscous": (Kind.VISCOUS,),
    "Coulomb": (Kind.COULOMB,),
}
DRIVES = ("ideal", "screw", "two_inertia", "hydraulic")


def machine_with(drive: str) -> Machine:
    """The machine `uf` on drives of a kind."""
    name = {"two_inertia": "uf_belt", "hydraulic": "uf_hydraulic"}.get(drive, "uf")
    document = copy.deepcopy(dict(Machine.load(name).document))
    if drive == "screw":
        document["actuator"] = SCREW
    if drive == "hydraulic":
        document["actuator"] |= INSIDE
    return Machine.from_document(document, drive)


@dataclass(frozen=True)
class Found:
    """Errors and deviations (P,) of one machine's parameters, their values and kinds, and its misfit."""

    error: FloatArray
    std: FloatArray
    true: FloatArray
    kinds: tuple[Kind, ...]
    misfit: float


def found(nominal: Machine, seed: int) -> Found:
    """One machine, simulated and identified."""
    truth = perturbed(nominal, seed, SPREAD)
    log = simulate(truth, MOTION, DURATION, nominal=nominal, seed=seed).log()
    result = identify([log], nominal)
    estimate, true = result.estimate, Settings().parameter_set(truth)
    places = [estimate.names.index(name) for name in true.names]
    error = np.array([estimate.values[k] for k in places]) - true.nominal
    std = np.array([estimate.std[k] for k in places])
    kinds = tuple(entry.kind for entry in true.entries)
    misfit = np.nan if result.fit is None else result.fit.ratio
    return Found(error, std, true.nominal, kinds, misfit)


def _rms(parts: list[FloatArray]) -> float:
    return float(np.sqrt(np.mean(np.concatenate(parts) ** 2)))


def _row(runs: list[Found]) -> tuple[dict[str, tuple[float, float]], float]:
    """Errors and deviations in % by group, and errors over deviations."""
    groups = {}
    for name, kinds in GROUPS.items():
        chosen = [np.array([kind in kinds for kind in run.kinds]) for run in runs]
        errors = [100 * (run.error / run.true)[k] for run, k in zip(runs, chosen, strict=True)]
        stds = [100 * (run.std / run.true)[k] for run, k in zip(runs, chosen, strict=True)]
        groups[name] = _rms(errors), _rms(stds)
    return groups, _rms([run.error / run.std for run in runs])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machines", type=int, default=20)
    parser.add_argument("--drives", nargs="+", choices=DRIVES[1:], default=DRIVES[1:])
    options = parser.parse_args()
    nominal = {drive: machine_with(drive) for drive in (DRIVES[0], *options.drives)}
    runs: dict[str, list[Found]] = {drive: [] for drive in nominal}
    for seed in range(1, options.machines + 1):
        for drive, machine in nominal.items():
            runs[drive].append(found(machine, seed))
        _show(runs)
    return 0


def _show(runs: dict[str, list[Found]]) -> None:
    ideal, _ = _row(runs["ideal"])
    print(f"{len(runs['ideal'])} machines: errors % (times ideal) | deviations % (times ideal)")
    for drive, own in runs.items():
        groups, ratio = _row(own)
        parts = [
            f"{name} {error:.3g} ({error / ideal[name][0]:.2f}) | {std:.3g} ({std / ideal[name][1]:.2f})"
            for name, (error, std) in groups.items()
        ]
        misfit = [run.misfit for run in own]
        print(
            f"  {drive:12} {'; '.join(parts)}; errors over deviations {ratio:.2f}; "
            f"misfit {min(misfit):.2f} to {max(misfit):.2f}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
