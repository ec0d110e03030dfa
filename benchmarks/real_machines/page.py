# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page of real machines and its pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from pkm_identification.machines.load import load_machine
from pkm_identification.report.figures.machine import machine_figure
from pkm_identification.report.figures.style import ESTIMATE, MEASURED, NOMINAL, STRUT_COLORS, apply_style

from .answers import Answer
from .logs import SUBJECTS, Subject

OURS = "this package"
_DOTS = 110


@dataclass(frozen=True)
class Result:
    """A machine, what `pkm identify` answers, again with causes estimated as well, and the peers' held-out errors."""

    subject: Subject
    answer: Answer
    again: Mapping[str, Answer] = field(default_factory=dict)
    peers: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def errors(self) -> dict[str, np.ndarray]:
        """Return the held-out errors of all programs by drive and in all, %."""
        return {OURS: self.answer.errors, **self.peers}


def read_sections(page: Path) -> dict[str, str]:
    """Return the sections of a page by their titles."""
    parts = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {part.partition("\n")[0]: f"\n## {part.rstrip()}\n" for part in parts}


def write_page(sections: Mapping[str, str], versions: Mapping[str, str]) -> str:
    """Return the page of some machines' sections, by their titles."""
    clones = "\n".join(f"git clone https://github.com/{one.repository}" for one in SUBJECTS)
    peers = ", ".join(f"{name} {version}" for name, version in versions.items())
    missing = [name for name in ("pinocchio", "figaroh", "mujoco_sysid") if name not in versions]
    left = f" Not installed here and left out: {', '.join(missing)}." if missing else ""
    head = f"""# Real machines
<!-- Written by `python -m benchmarks.real_machines`. -->
Results on logs that others recorded and published. To fetch the logs and write this page again (`pip install figaroh
mujoco_sysid` for the peers):
```text
{clones}
python -m benchmarks.real_machines --data .
```
The logs are not part of this repository; the machine files are (`examples/machines/`). Each machine is identified by
`pkm identify LOG --machine FILE --validate HELD_OUT`. The peers are plain least squares with the regressors of
{peers or "no other program"},
on the same samples below the same cutoff, with viscous and Coulomb friction (linear below 1 % of a drive's rms rate;
figaroh with its own friction, inertia of motors and offsets).{left} The held-out error is the rms error of the
predicted force over the rms force, below the cutoff.
"""
    return head + "".join(sections[one.title] for one in SUBJECTS if one.title in sections)


def write_section(result: Result) -> str:
    """Return the section of a machine."""
    subject, answer = result.subject, result.answer
    address = f"[{subject.repository}](https://github.com/{subject.repository})"
    text = f"\n## {subject.title}\n![{subject.title}](images/real_machines/{subject.name}.png)\n\n"
    text += f"{address}; machine file `examples/machines/{subject.name}.yaml`. {subject.notes}\n\n"
    if not answer.document:
        words = answer.words.partition(": ")[2].rpartition(".csv: ")[2]
        return (
            text
            + f'**Refused.** Exit code {answer.code} after {answer.processor:.0f} s of processor time: "{words}"\n'
        )
    text += f"![held-out error](images/real_machines/{subject.name}_errors.png)\n\n"
    drives = [drive.name for drive in load_machine(subject.machine).drives]
    text += _table(
        ["held-out error %", *drives, "all"], [[name, *_percents(one)] for name, one in result.errors.items()]
    )
    text += f"\nRun time {answer.seconds:.0f} s (processor time {answer.processor:.0f} s); "
    text += f'exit code {answer.code}. Verdict: "{answer.verdict}"\n'
    text += _friction(result) + _diagnosis(result)
    return text


def _percents(values: np.ndarray) -> list[str]:
    return [f"{value:.3g}" for value in values]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _friction(result: Result) -> str:
    rows = []
    for name, printed in result.subject.published.items():
        found = result.answer.value(name)
        rows.append([name, "-" if found is None else f"{found[0]:.3g} ± {found[1]:.2g}", f"{printed:g}"])
    if not rows:
        return ""
    return f"\nComparison with published values ({result.subject.source}):\n\n" + _table(
        ["parameter", "this package", "published"], rows
    )


def _diagnosis(result: Result) -> str:
    causes = result.answer.causes
    if not causes:
        return "\nThe diagnosis names no cause.\n"
    before = result.answer.errors[-1]
    names = ", ".join(f"`{cause['name']}`" for cause in causes)
    text = f"\nThe diagnosis names {names}. "
    text += (
        f"With one of them estimated as well (`--also`), the held-out error of {before:.3g} % becomes:\n\n"
    )
    if not result.again:
        return text.partition("With one")[0] + "None of them was estimated in this run.\n"
    rows = []
    for also, answer in result.again.items():
        change = answer.errors[-1] / before - 1.0
        word = "better" if change < -0.01 else "none" if change < 0.01 else "worse"
        rows.append([f"`{also}`", f"{answer.errors[-1]:.3g}", word])
    return text + _table(["`--also`", "held-out error %", "change"], rows)


def write_pictures(result: Result, folder: Path) -> None:
    """Write a picture of a machine at home, and bars of the held-out errors."""
    folder.mkdir(parents=True, exist_ok=True)
    machine_figure(load_machine(result.subject.machine)).savefig(
        folder / f"{result.subject.name}.png", dpi=_DOTS
    )
    if result.peers:
        errors_figure(result).savefig(folder / f"{result.subject.name}_errors.png", dpi=_DOTS)


@apply_style
def errors_figure(result: Result) -> Figure:
    """Return bars of the held-out errors of all programs, by drive and in all."""
    drives = [drive.name for drive in load_machine(result.subject.machine).drives]
    colors = (ESTIMATE, MEASURED, NOMINAL, STRUT_COLORS[3])
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(result.errors)
    for k, (name, errors) in enumerate(result.errors.items()):
        axes.bar(np.arange(len(errors)) + k * width, errors, width, label=name, color=colors[k])
    axes.set_xticks(np.arange(len(drives) + 1) + 0.4 - width / 2, [*drives, "all"])
    axes.set_ylabel("held-out error, %")
    axes.set_yscale("log")
    axes.legend(ncols=len(result.errors), fontsize=8)
    return figure
