# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.through_drives`: what identification through drives costs in accuracy, over many machines.

Each machine differs from its file by up to 15 %, and is identified from the same motion with ideal drives and with each
kind of drive asked for. Printed are errors and stated deviations of masses, inertias and friction over the file's
values, in % and rms over machines, both as multiples of those of ideal drives; errors over deviations; and the misfit.
`--left-out` identifies the same logs with a file that says nothing of the drives, and prints the mean bias of each
parameter in deviations (of values in doubt, and as the file with the drives states them), and in how many logs the
misfit is found. `--causal` identifies them by the online stages.

`--keep FOLDER` has logs and what was found of them in a folder: what is there already is not computed again. What was
found goes with the code that found it; `--again` computes that anew from the logs that are kept.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pkm_identification.identification.identify import identify
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.parameter import Kind
from pkm_identification.simulation.perturbation import perturb_machine
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
    """Errors and deviations (P,) of one machine's parameters, their values, names and kinds, and its misfit.

    `fits` is whether the model was found to fit.
    """

    error: FloatArray
    std: FloatArray
    true: FloatArray
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    misfit: float
    fits: bool

    def document(self) -> dict[str, object]:
        numbers = {"error": self.error.tolist(), "std": self.std.tolist(), "true": self.true.tolist()}
        words = {"names": self.names, "kinds": [kind.name for kind in self.kinds]}
        return {**numbers, **words, "misfit": self.misfit, "fits": self.fits}

    @classmethod
    def read(cls, path: Path) -> Found:
        kept = json.loads(path.read_text())
        error, std, true = (np.array(kept[name]) for name in ("error", "std", "true"))
        kinds = tuple(Kind[name] for name in kept["kinds"])
        return cls(error, std, true, tuple(kept["names"]), kinds, kept["misfit"], kept["fits"])


def log_of(drive: str, nominal: Machine, seed: int, keep: Path | None) -> DriveLog:
    """The log of one machine, simulated unless it is kept."""
    path = None if keep is None else keep / f"{drive}-{seed}.npz"
    if path is not None and path.exists():
        with np.load(path) as kept:
            return DriveLog(kept["time"], kept["length"], kept["force"], f"{drive} {seed}")
    log = simulate(perturb_machine(nominal, seed, SPREAD), MOTION, DURATION, nominal=nominal, seed=seed).log()
    if path is not None:
        assert log.force is not None
        np.savez(path, time=log.time, length=log.length, force=log.force)
    return log


def found(log: DriveLog, machine: Machine, truth: Machine, causal: bool) -> Found:
    """What a machine's file makes of a log, against the machine it is of."""
    result = identify([log], machine, Settings(causal=causal))
    estimate, true = result.estimate, Settings().parameter_set(truth)
    places = [estimate.names.index(name) for name in true.names]
    error = np.array([estimate.values[k] for k in places]) - true.nominal
    std = np.array([estimate.std[k] for k in places])
    kinds = tuple(entry.kind for entry in true.entries)
    misfit = np.nan if result.fit is None else result.fit.ratio
    fits = result.fit is None or result.fit.adequate
    return Found(error, std, true.nominal, tuple(true.names), kinds, misfit, fits)


def run(drive: str, seed: int, options: argparse.Namespace, left_out: bool) -> Found:
    """One machine, simulated and identified unless both are kept."""
    causal, keep, again = options.causal, options.keep, options.again
    kind = f"{'-left-out' if left_out else ''}{'-causal' if causal else ''}"
    path = None if keep is None else keep / f"{drive}-{seed}{kind}.json"
    if path is not None and path.exists() and not again:
        return Found.read(path)
    nominal = machine_with(drive)
    log = log_of(drive, nominal, seed, keep)
    made = found(
        log, Machine.load("uf") if left_out else nominal, perturb_machine(nominal, seed, SPREAD), causal
    )
    if path is not None:
        path.write_text(json.dumps(made.document()))
    return made


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--machines", type=int, default=20)
    parser.add_argument("--drives", nargs="+", choices=DRIVES[1:], default=DRIVES[1:])
    parser.add_argument("--left-out", action="store_true", help="say nothing of the drives to `identify`")
    parser.add_argument("--causal", action="store_true", help="identify by the online stages")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where logs and results are, and go")
    parser.add_argument("--again", action="store_true", help="identify anew what is kept")
    options = parser.parse_args()
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
    drives = options.drives if options.left_out else (DRIVES[0], *options.drives)
    runs: dict[str, list[Found]] = {drive: [] for drive in drives}
    whole: dict[str, list[Found]] = {drive: [] for drive in drives}
    for seed in range(1, options.machines + 1):
        for drive, own in runs.items():
            own.append(run(drive, seed, options, options.left_out))
            if options.left_out:
                whole[drive].append(run(drive, seed, options, False))
        _show_bias(runs, whole) if options.left_out else _show(runs)
    return 0


def _show_bias(runs: dict[str, list[Found]], whole: dict[str, list[Found]]) -> None:
    """Mean bias of each parameter in deviations, with drives left out of the file; and in those of the whole file."""
    for drive, own in runs.items():
        parts = _biases(own, own)
        groups, _ = _row(own)
        errors = "; ".join(f"{name} {error:.3g}" for name, (error, _) in groups.items())
        found = sum(not run.fits for run in own)
        misfit = [run.misfit for run in own]
        print(
            f"{len(own)} machines, {drive} left out: errors % {errors}; misfit {min(misfit):.2f} to {max(misfit):.2f}, "
            f"found in {found}; mean bias in deviations: {', '.join(parts)}; in deviations that the whole file gives: "
            f"{', '.join(_biases(own, whole[drive]))}",
            flush=True,
        )


def _biases(runs: list[Found], deviations: list[Found]) -> list[str]:
    """Mean errors of some runs over the deviations of others, by name."""
    bias = np.mean([run.error / other.std for run, other in zip(runs, deviations, strict=True)], axis=0)
    return [f"{name} {one:.1f}" for name, one in zip(runs[0].names, bias, strict=True)]


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
