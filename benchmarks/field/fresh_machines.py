# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.field.fresh_machines [--draws N] [--seed N]`: machines drawn, moved and identified.

A file is drawn of each kind, and the machine itself 5 to 20 % off it, which the file says nothing of; it follows `rich`
under control by the file's model, its forces have 1 % noise; `pkm identify` knows the file alone. Wanted: values that
may be used within 3 deviations of the truth, and a squared error per value, over its variance, of .6 to 1.5.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
import yaml
from scipy.special import ndtr

from pkm_identification.cli import main as run_command
from pkm_identification.errors import PkmError
from pkm_identification.machines.load import read_machine
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.records.log import write_log
from pkm_identification.simulation.simulator import simulate

from .drawn_kinds import KINDS, draw_machine, draw_truth
from .truth import find_errors

DURATION = 22.0  # s: a period of `rich` with its fades
FARTHEST = 3.0  # deviations
LEAST, MOST = 0.6, 1.5  # squared error over variance, mean of the parameters


@dataclass(frozen=True)
class Outcome:
    """What became of one drawn machine.

    Attributes
    ----------
    names : tuple of str
        Of the values that may be used.
    errors : ndarray, shape (P,)
        In deviations.
    fits : bool
        What the program says of the model.
    code : int
        Exit code of `pkm identify`.
    """

    names: tuple[str, ...]
    errors: FloatArray
    fits: bool
    code: int


def try_machine(kind: str, seed: int, folder: Path, duration: float = DURATION) -> Outcome:
    """Return what `pkm identify` makes of a drawn machine of a kind."""
    random = np.random.default_rng([seed, list(KINDS).index(kind)])
    document = draw_machine(random, kind)
    document.pop("known", None)  # which would say more than it is drawn by
    file, truth = read_machine(document), read_machine(draw_truth(random, document))
    path, log, answer = (folder / name for name in ("machine.yaml", "log.csv", "estimate.json"))
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    run = simulate(truth, "rich", duration, nominal=file, seed=seed)
    write_log(log, run.log(), drives=file.drives)
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = run_command(["identify", str(log), "--machine", str(path), "--json", str(answer)])
    if not answer.exists():
        raise RuntimeError(f"{kind}, seed {seed}: exit code {code}: {said.getvalue().strip()[-300:]}")
    told = json.loads(answer.read_text())
    found = find_errors(told["answer"], file, truth)
    errors = np.array(list(found.values()))
    return Outcome(tuple(found), errors, told["answer"]["verdict"]["grade"] == "fits", code)


def main(arguments: list[str]) -> int:
    """Print a line for each machine and kind; return how many kinds miss a bar."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.field.fresh_machines")
    parser.add_argument("--kinds", nargs="+", choices=tuple(KINDS), default=list(KINDS))
    parser.add_argument("--draws", type=int, default=3, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    missed = 0
    for kind in options.kinds:
        outcomes = []
        for seed in range(options.seed, options.seed + options.draws):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    one = try_machine(kind, seed, Path(folder))
                except (RuntimeError, PkmError) as error:
                    print(f"  {error}", flush=True)
                    continue
            if not one.names:
                print(f"  {kind} {seed}: nothing is identified, exit code {one.code}", flush=True)
                continue
            worst = int(np.argmax(np.abs(one.errors)))
            print(
                f"  {kind} {seed}: {len(one.errors)} parameters, error^2 {np.mean(one.errors**2):.2f}, worst "
                f"{one.errors[worst]:+.1f} ({one.names[worst]}), fits: {one.fits}, exit code {one.code}",
                flush=True,
            )
            outcomes.append(one)
        errors = np.concatenate([one.errors for one in outcomes]) if outcomes else np.array([np.nan])
        squared, farthest = float(np.mean(errors**2)), float(np.max(np.abs(errors)))
        good = len(outcomes) == options.draws and LEAST <= squared <= MOST and farthest <= FARTHEST
        good = good and all(one.fits and one.code == 0 for one in outcomes)
        missed += not good
        chance = 1.0 - (2.0 * ndtr(farthest) - 1.0) ** errors.size
        print(
            f"{kind}: error^2 {squared:.2f}, farthest {farthest:.1f} of {errors.size} (as far by chance: "
            f"{100 * chance:.0f} %): {'good' if good else 'MISSED'}",
            flush=True,
        )
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
