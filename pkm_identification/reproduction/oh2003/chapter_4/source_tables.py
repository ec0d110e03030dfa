# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The numbers of Oh 2003, chapter 4, as far as they can be read, each with a mark of how certain the reading is.

They stand in `study.yaml`. A mark 'S/P' means that the percentage is sure and the value probable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pkm_identification.reproduction.study_file import read_file

MASSES = ("m_e", "m_b", "m_p")
# our names and the source's, where they differ
SOURCE_NAMES = {"Izz_p": "Iyy_p", "Iyy_p": "Izz_p"}
_PRINTED: dict[str, Any] = read_file(f"{__package__}.study")["data"]


@dataclass(frozen=True)
class SourceNumber:
    """A number of the source: estimate in SI units and error in %, None where not legible, and its mark."""

    value: float | None
    percent: float | None
    mark: str

    @property
    def legible(self) -> float:
        """The estimate; raises ValueError where it is not legible."""
        if self.value is None:
            raise ValueError("the source's number is not legible")
        return self.value


def _read_mass(entry: Mapping[str, Any]) -> SourceNumber:
    text, mark = entry["text"], entry["mark"]
    percent = text["at_most"] if isinstance(text, Mapping) else text
    both = f"{mark}/{entry['kg_mark']}" if "kg_mark" in entry else mark
    return SourceNumber(entry["kg"], None if "by_kg" in entry else percent, both)


def _read_inertia(entry: Mapping[str, Any]) -> SourceNumber:
    mark = "/".join(entry[key] for key in ("percent_mark", "mark") if key in entry)
    return SourceNumber(entry["value"], entry.get("percent"), mark)


def _split_key(key: str) -> tuple[str, str]:
    """Return a table and its motion."""
    table, _, motion = key.rpartition(" ")
    return table, motion


START: dict[str, float] = _PRINTED["start"]
TABLES = {
    _split_key(key): {name: _read_mass(entry) for name, entry in row.items()}
    for key, row in _PRINTED["masses"].items()
}
INERTIAS = {name: _read_inertia(entry) for name, entry in _PRINTED["inertias"].items()}
# of the energy model, by motion (tables 4.9 and 4.17)
ENERGY_INERTIAS = {
    motion: {name: _read_inertia(entry) for name, entry in row.items()}
    for motion, row in _PRINTED["energy_inertias"].items()
}
ITERATIONS: dict[tuple[str, str], int] = {
    _split_key(key): count for key, count in _PRINTED["iterations"].items()
}
ENERGY_ITERATIONS: int = _PRINTED["energy_iterations"]
# worst error of a mass in % and its mark, by model and noise
SOURCE_NOISE: dict[tuple[str, float], tuple[float, str]] = {
    (model, percent / 100): (value, mark)
    for model, row in _PRINTED["noise"].items()
    for percent, (value, mark) in row.items()
}
