# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.foreign [--machines uf delta] [--seed N]`: faults of another simulator, what is said of them.

Machines are drawn anew by the seed, and with them which drive is spoilt and how much. Wanted of each: noticed (an exit
code that is not 0, or the effect is named, or the file contradicted), or harmless (no value off by 3 deviations); the
first cause is right, or it is said that none is known; and no value that may be used off by 4 at exit code 0.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from pkm_identification.cli import main as run_command
from pkm_identification.errors import PkmError
from pkm_identification.estimation.posterior.thresholds import MAX_FLOOR_RATIO
from pkm_identification.estimation.posterior.verdict import CONTRADICTS
from pkm_identification.identification.answer_file import answer_document
from pkm_identification.identification.estimate_file import fit_document
from pkm_identification.identification.online.pipeline import OnlinePipeline, build_stream_settings
from pkm_identification.machines.contract import Machine
from pkm_identification.machines.load import read_machine
from pkm_identification.motion import DriveLog
from pkm_identification.records.log import write_log

from ..field.drawn_kinds import KINDS as MACHINES
from ..field.drawn_kinds import draw_machine, draw_truth
from ..field.drawn_machines import Document
from ..field.truth import find_errors
from .kinds import KINDS
from .run import Run, build_run
from .trial import Trial

DURATION = 20.0  # s
HARMLESS, WRONG = 3.0, 4.0  # deviations
NOTHING = "nothing"  # the kind without a fault
UNKNOWN = "no known cause"
# Found by comparison, or left out: these lead
DISCRETE = ("coupled_drives", "exchanged", "force_sign", "force_unit", "length_unit", "saturation")
FAMILIES = {  # what names of causes begin with, and what they are of
    "force_gain": "force_gain", "gain_drift": "force_gain", "force_dead_band": "force_offset",
    "friction_position": "friction", "length": "coordinate", "angle": "coordinate", "geometry": "coordinate",
    "joints.": "coordinate",
    "platform_joint": "coordinate", "base_joint": "coordinate", "drive.encoder": "coordinate", "strut": "bodies",
    "platform.": "bodies", "bodies": "bodies", "unequal_struts": "bodies", "center_of_mass": "bodies",
    "products": "bodies", "motor_inertia": "bodies", "m_m": "bodies", "inertia_": "bodies",
}  # fmt: skip


@dataclass(frozen=True)
class Said:
    """What `pkm identify` says of a log."""

    code: int
    grade: str
    sentence: str
    causes: tuple[str, ...]
    z: float
    worst: str


def draw_pair(kind: str, seed: int) -> tuple[Document, Document]:
    """Return the file of a machine and the machine itself, off by what the file's word `cad` or nothing says."""
    rng = np.random.default_rng([seed, list(MACHINES).index(kind), 3])
    file = draw_machine(rng, kind)
    cad = bool(rng.random() < 0.5)
    file.pop("known", None)
    if cad:
        file["known"] = "cad"
    return file, draw_truth(rng, file, *((0.0, 0.03) if cad else (0.02, 0.15)))


def identify(log: DriveLog, file: Document, truth: Machine, folder: Path) -> Said:
    """Return what is said of a log."""
    path, table, answer = (folder / name for name in ("machine.yaml", "log.csv", "estimate.json"))
    answer.unlink(missing_ok=True)
    path.write_text(yaml.safe_dump(file, sort_keys=False))
    write_log(table, log, drives=truth.drives)
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = run_command(["identify", str(table), "--machine", str(path), "--json", str(answer)])
    if not answer.exists():
        return Said(code, "refused", said.getvalue().strip().splitlines()[-1][:160], (), 0.0, "")
    return _read_said(code, json.loads(answer.read_text()), read_machine(file), truth)


def follow(log: DriveLog, file: Document, truth: Machine, folder: Path) -> Said:
    """Return what the online estimator says of a log at its end; no file is written."""
    machine = read_machine(file)
    assert log.force is not None
    step = float(np.median(np.diff(log.time)))
    pipeline = OnlinePipeline(machine, build_stream_settings(machine, None, step))
    channels: set[str] = set()
    for row in zip(log.time.tolist(), log.coordinate, log.force, strict=True):
        pipeline.step(*row)
        channels |= {finding.reason for finding in pipeline.filter_stage.channels}
    pipeline.estimator.finish()
    verdict = pipeline.estimator.verdict
    if channels or verdict is None:
        said = ", ".join(sorted(channels)) or "not judged"
        return Said(1, "refused", said, (), 0.0, "")
    made, estimate = answer_document(verdict.answer), pipeline.estimator.estimate
    for one in made["values"]:  # what is published
        if one["name"] in estimate.names:
            k = estimate.names.index(one["name"])
            one["value"], one["std"] = float(estimate.values[k]), float(estimate.std[k])
    document = {"answer": made, "fit": fit_document(verdict.fit)}
    return _read_said(int(not verdict.good), document, machine, truth)


def _read_said(code: int, document: dict[str, Any], file: Machine, truth: Machine) -> Said:
    made = document["answer"]
    errors = find_errors(made, file, truth)
    worst = max(errors, key=lambda name: abs(errors[name]), default="")
    verdict = made["verdict"]
    return Said(
        code,
        verdict["grade"],
        verdict["sentence"],
        tuple(list_causes(document)),
        errors.get(worst, 0.0),
        worst,
    )


def list_causes(document: dict[str, Any]) -> list[str]:
    """Return the names of causes in the order in which they are said."""
    made, fit = document["answer"], document.get("fit") or {}
    causes = [
        one["name"] for one in fit.get("causes", ()) if one["name"].startswith(DISCRETE) and one["cure"]
    ]
    verdict = made["verdict"]
    if ": the forces are" in verdict["sentence"]:
        causes.append("force_sign" if "other sign" in verdict["sentence"] else "force_unit")
    if (verdict["residual_over_floor"] or 0.0) > MAX_FLOOR_RATIO:
        return causes or [UNKNOWN]  # effects are then said to be the nearest, and no cause
    effects = [one["name"] for one in made["effects"]]
    keys = [one["key"] for one in verdict["conflicts"] if abs(one["deviations"]) > WRONG]
    causes += (
        keys + effects if verdict["grade"] == CONTRADICTS else effects + keys
    )  # as the sentence has them
    if not fit.get("adequate", True):
        causes += [one["name"] for one in fit["causes"] if one["cure"]]
    return list(dict.fromkeys(causes))


def judge(said: Said, right: tuple[str, ...]) -> tuple[bool, str, bool]:
    """Return whether a fault was noticed or harmless, how right the first cause is, and whether a value misleads."""
    noticed = said.code != 0 or said.grade != "fits" or bool(said.causes)
    misleads = said.code == 0 and abs(said.z) > WRONG
    cause = "-"
    if noticed:
        families = {find_family(one) for one in right}
        first = said.causes[0] if said.causes else UNKNOWN
        if said.grade == "refused" or first == UNKNOWN:
            cause = "honest"
        elif first.removeprefix("tolerances.").startswith(right):
            cause = "right"
        else:
            cause = "family" if find_family(first) in families else "wrong"
    return noticed or abs(said.z) < HARMLESS, cause, misleads


def find_family(cause: str) -> str:
    """Return the family of a cause's name, or of a key's of the file."""
    cause = cause.removeprefix("tolerances.")
    for begin, family in FAMILIES.items():
        if cause.startswith(begin):
            return family
    return cause.split("_")[0]


def spoil(run: Run, file: Document, truth: Document, name: str, seed: int) -> Trial:
    """Return a trial with a fault."""
    number = (NOTHING, *KINDS).index(name)
    random = np.random.default_rng([seed, number])
    share, drive = float(random.uniform(0.5, 1.0)), int(random.integers(run.added.shape[1]))
    trial = Trial(replace(run, random=random), file, truth, share, drive)
    return trial if name == NOTHING else KINDS[name][1](trial)


def main(arguments: list[str]) -> int:
    """Print a line for each fault; return how many are missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.foreign", description=__doc__)
    parser.add_argument(
        "--machines", nargs="+", choices=tuple(MACHINES), default=["uf", "hexel", "delta", "mast"]
    )
    parser.add_argument(
        "--kinds", nargs="+", default=[NOTHING, *KINDS], help="or the beginning of their names"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--online", action="store_true", help="ask the online estimator, sample by sample")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for machine in options.machines:
        file, truth = draw_pair(machine, options.seed)
        run = build_run(read_machine(truth), read_machine(file), DURATION, options.seed)
        for name in (NOTHING, *KINDS):
            if not any(name.startswith(one) for one in options.kinds):
                continue
            with tempfile.TemporaryDirectory() as folder:
                try:
                    trial = spoil(run, file, truth, name, options.seed)
                    ask = follow if options.online else identify
                    said = ask(trial.measure(), trial.file, read_machine(trial.truth), Path(folder))
                except (RuntimeError, PkmError) as error:
                    print(f"{machine} | {name} | not made: {error}", flush=True)
                    continue
            good, cause, misleads = judge(said, KINDS[name][0] if name in KINDS else ())
            counts["faults"] += 1
            counts["missed"] += not good
            counts["misleads"] += int(misleads)
            counts[f"cause {cause}"] += 1
            marks = ("" if good else "MISSED ") + ("MISLEADS " if misleads else "") + cause
            print(
                f"{machine} | {name} | {trial.share:.2f} | {marks} | {said.code} | z {said.z:+.1f} {said.worst} | "
                f"{', '.join(said.causes[:4])} | {said.sentence[:120]}",
                flush=True,
            )
    print(dict(counts))
    return int(counts["missed"] + counts["misleads"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
