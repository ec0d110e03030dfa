# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All machines that the contract is held to, and motions around their homes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from benchmarks.field import parallel_machines as documents
from pkm_identification.document import TextScalars
from pkm_identification.machines.contract import Motion
from pkm_identification.machines.hexapod import Hexapod
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

HEXAPODS = ("uf", "hexel", "ford", "uf_hydraulic", "uf_belt")
BUILT_IN = ("mast", "epaas", "four-bar", "epaas_testrig")
WRITTEN = {one.__name__: one for one in (documents.delta, documents.five_bar, documents.rss, documents.pus)}
WRITTEN["serial_arm"] = documents.serial_arm
WRITTEN["arm_7"] = documents.wrist_arm
ACTUATED = ("mast_belt", "epaas_hydraulic")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "mechanisms.md"
ON_PAGE = "delta of the page"
AS_MULTIBODY = "uf as multibody"
MECHANISMS = (*BUILT_IN, *ACTUATED, *WRITTEN, ON_PAGE)
EVERY = (*HEXAPODS, AS_MULTIBODY, *MECHANISMS)


@cache
def machine(name: str) -> Hexapod | Multibody:
    if name in WRITTEN:
        return read_machine(WRITTEN[name]())
    if name == ON_PAGE:
        found = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
        assert found
        return read_machine(yaml.load(found.group(1), Loader=TextScalars))
    if name == AS_MULTIBODY:
        return Multibody(Mechanism.from_machine(load_machine("uf").description))
    return load_machine(name)


def smooth_drives(one: Hexapod | Multibody, count: int = 40, seed: int = 0, part: float = 0.1):
    """Return coordinates, rates and accelerations (N, n) of sines around home, a part of a large change high."""
    rng = np.random.default_rng(seed)
    size = part * np.array([drive.size for drive in one.drives])
    omega, phase = rng.uniform(2.0, 6.0, len(size)), rng.uniform(0.0, 6.0, len(size))
    angle = omega * np.linspace(0.0, 1.0, count)[:, None] + phase
    start = one.home - size * np.sin(phase)
    return start + size * np.sin(angle), size * omega * np.cos(angle), -size * omega**2 * np.sin(angle)


def smooth_motion(one: Hexapod | Multibody, count: int = 40, seed: int = 0) -> Motion:
    return one.compute_motion(*smooth_drives(one, count, seed))
