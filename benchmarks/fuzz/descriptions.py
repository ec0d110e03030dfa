# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Descriptions of machines, and estimates: URDF, SDF, MJCF, a CAD program's text, estimate.json."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pkm_identification.exporting.drafts.from_file import draft_from_file
from pkm_identification.exporting.drafts.kinds import write_draft
from pkm_identification.exporting.drafts.mass_properties import read_mass_properties
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.identification.estimate_file import SCHEMA
from pkm_identification.identification.saved_estimate import read_saved_estimate
from pkm_identification.machines.load import load_machine, read_machine_text
from pkm_identification.mechanisms.multibody.mechanism import builtin_mechanisms

MASS_PROPERTIES = """Mass: 2.5 kg
Center of mass
X: 12 mm
Y: -8 mm
Z: 25 mm
Moments of inertia
Lxx: 9200.5 g mm^2\tLxy: 120.0 g mm^2\tLxz: -40.0 g mm^2
Lyy: 8100.0 g mm^2\tLyz: 15.0 g mm^2
Lzz: 9900.0 g mm^2
"""


def list_descriptions() -> dict[str, bytes]:
    """Return files by a name whose ending tells what reads them."""
    uf, mast, arm = (
        load_machine("uf"),
        load_machine("mast"),
        read_machine_text(write_draft("serial-arm", "a", {}, 3)),
    )
    texts = {
        "uf.sdf": format_machine_text(uf, "sdf"), "uf.xml": format_machine_text(uf, "mjcf"),
        "mast.sdf": format_machine_text(mast, "sdf"), "mast.xml": format_machine_text(mast, "mjcf"),
        "arm.urdf": format_machine_text(arm, "urdf"), "part.txt": MASS_PROPERTIES, "estimate.json": _estimate(),
    }  # fmt: skip
    mechanisms = {f"{name}.yaml": path.read_bytes() for name, path in sorted(builtin_mechanisms().items())}
    return mechanisms | {name: text.encode() for name, text in texts.items()}


def use_description(path: Path) -> None:
    """Read one by its ending; what a machine's file says must load, simulate and have a home."""
    USES.get(path.suffix, _use_model)(path)


def _use_model(path: Path) -> None:
    text, _ = draft_from_file(path, "taken_over")
    read_machine_text(text)


USES: dict[str, Callable[[Path], object]] = {
    ".yaml": load_machine,
    ".txt": lambda path: read_mass_properties(str(path), "platform"),
    ".json": read_saved_estimate,
}


def _estimate() -> str:
    """An estimate of two parameters."""
    names, mean = ["m_p", "Izz_p"], [4.4, 0.07]
    rows = [
        {"name": name, "value": value, "std": 0.01, "nominal": value, "unit": "kg", "status": "identified"}
        for name, value in zip(names, mean, strict=True)
    ]
    answer = {
        "values": [{**row, "std_data": 0.006, "std_file": 0.008, "near_zero": False, "taken": 0.9,
                    "rests_on": [{"key": "gravity", "share": 0.2, "slope": 0.1, "unit": "%"}]} for row in rows],
        "effects": [],
        "verdict": {"grade": "usable", "residual_over_floor": 1.0, "residual_over_force": 0.01,
                    "unseen_over_fit": 1.1, "halves": 1.0, "conflicts": [], "sentence": "Usable."},
    }  # fmt: skip
    return json.dumps({
        "schema": SCHEMA, "machine": "uf", "machine_hash": "0", "estimator": "full", "model": "force",
        "consistent": False, "converged": True, "samples": 1000, "equations": 200, "dropped": {"gap": 2},
        "parameters": rows, "answer": answer, "parameter_set": "oh12",
        "state": {"names": names, "mean": mean, "covariance": (1e-4 * np.eye(2)).tolist(), "count": 200, "time": 1.0},
    }, indent=1)  # fmt: skip
