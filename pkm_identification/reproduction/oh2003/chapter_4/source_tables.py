# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The numbers of Oh 2003, chapter 4, as far as they can be read, each with a mark of how certain the reading is.

Marks: S sure, P probable, G guess, with + and - between; 'S/P' means the percentage is sure and the value probable.
Percentages are |true - estimate| / true. Our names: the platform's normal is z here and y in the source's tables.
"""

from __future__ import annotations

from dataclasses import dataclass

MASSES = ("m_e", "m_b", "m_p")
# our names and the source's, where they differ
SOURCE_NAMES = {"Izz_p": "Iyy_p", "Iyy_p": "Izz_p"}

# First guess. Masses: within the axes of the source's figures (G); inertias: the round numbers its estimates sit on.
START = {
    "m_e": (1.5, "G"),
    "m_b": (7.5, "G"),
    "m_p": (4.5, "G"),
    "Ixx_b": (0.5, "P"),
    "Iyy_b": (0.0605, "G"),
    "Izz_b": (0.5, "P"),
    "Ixx_p": (0.09, "P"),
    "Iyy_p": (0.09, "P"),
    "Izz_p": (0.18, "P"),
    "Ixx_e": (0.018, "P"),
    "Iyy_e": (40e-6, "P+"),
    "Izz_e": (0.018, "P"),
}


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


def _format_masses(*entries: tuple[float | None, float | None, str]) -> dict[str, SourceNumber]:
    return {
        name: SourceNumber(*entry)
        for name, entry in zip(MASSES, entries, strict=True)
        if entry[0] is not None or entry[1] is not None
    }


NOTHING = (None, None, "")
EXACT = _format_masses((1.79, 0.04, "S"), (7.72, 0.04, "S"), (4.82, 0.04, "S"))  # all within 0.04 %
ENERGY_XY = _format_masses((1.85, 3.24, "S/P"), (7.97, 3.25, "S/P"), (4.71, 2.29, "S/P"))

# Masses by table and motion.
TABLES: dict[tuple[str, str], dict[str, SourceNumber]] = {
    ("4.4", "X"): EXACT,
    ("4.4", "Z"): _format_masses((1.66, 7.4, "G"), (7.09, 8.2, "G"), (5.61, 16.5, "S/G")),
    ("4.4", "XY"): EXACT,
    ("4.4", "fall"): _format_masses((1.59, 11.35, "P"), NOTHING, NOTHING),
    ("4.6", "X"): _format_masses((1.78, 0.83, "P+"), (7.50, 2.92, "P+"), (4.92, 1.97, "P+")),
    ("4.6", "Z"): _format_masses((1.78, 0.79, "P+"), (7.86, 1.85, "P+"), (4.94, 2.5, "P+")),
    ("4.6", "XY"): _format_masses((2.08, 16.07, "P"), (7.08, 8.25, "P"), (5.60, 16.1, "P")),
    ("4.6", "fall"): _format_masses((1.54, 13.86, "S/P"), (7.18, 7.01, "S/P"), (4.69, 2.80, "S/P")),
    ("4.8", "X"): _format_masses((1.84, 2.56, "S/P"), (7.92, 2.55, "S/P"), (4.55, 5.57, "S/P")),
    ("4.8", "Z"): _format_masses((1.74, 2.86, "P+"), (7.57, 1.95, "P+"), (4.505, 6.48, "P+")),
    ("4.8", "XY"): ENERGY_XY,
    ("4.10", "X"): _format_masses((1.79, None, "G"), (7.7, None, "G"), (4.80, 0.4, "G")),
    ("4.10", "Z"): _format_masses((1.34, 25.28, "S"), (5.58, 27.79, "S"), (7.51, 55.72, "S")),
    ("4.12", "Z"): _format_masses((1.82, 1.65, "P-"), (7.65, 0.88, "P-"), (4.58, 4.96, "P-")),
    ("4.12", "fall"): _format_masses((1.56, 12.93, "P"), (7.64, 1.07, "G"), (4.86, 0.82, "P")),
    ("4.14, 0 %", "XY"): EXACT,
    ("4.14, 1 %", "XY"): _format_masses((1.74, 2.57, "P+"), (7.56, 2.04, "P+"), (5.08, 5.40, "P+")),
    ("4.14, 5 %", "XY"): _format_masses((1.80, 0.7, "G"), (8.2, 6.0, "G"), (4.70, 2.5, "P-")),
    ("4.16, 0 %", "XY"): ENERGY_XY,
    ("4.16, 1 %", "XY"): _format_masses(NOTHING, NOTHING, (3.00, 37.79, "P+")),
}

# Where the recovered text has a table's cells, as far as that is known.
LINES = {("4.10", "Z"): "10745 ff."}

# Inertias, nearly alike in every case without energy (tables 4.5, 4.7, 4.11, 4.13, 4.15): typical value and |%|.
INERTIAS: dict[str, SourceNumber] = {
    "Ixx_b": SourceNumber(0.5033, 10.7, "P"),
    "Iyy_b": SourceNumber(0.06051, 12.81, "S/P+"),
    "Izz_b": SourceNumber(0.5033, 10.7, "P"),
    "Ixx_p": SourceNumber(0.090032, 0.79, "S/P"),
    "Iyy_p": SourceNumber(0.090026, 0.81, "S/P+"),
    "Izz_p": SourceNumber(0.180032, 0.70, "P"),
    "Ixx_e": SourceNumber(0.018039, 1.26, "S/P"),
    "Iyy_e": SourceNumber(40e-6, 26.20, "S/P+"),
    "Izz_e": SourceNumber(0.018045, 1.23, "S/P+"),
}

# Iterations that the source's convergence figures show, where their motion is known (S; XY P).
ITERATIONS: dict[tuple[str, str], int] = {
    ("4.4", "X"): 5,
    ("4.4", "Z"): 80,
    ("4.4", "XY"): 5,
    ("4.4", "fall"): 35,
    ("4.6", "X"): 80,
    ("4.6", "XY"): 200,
    ("4.12", "X"): 4,
    ("4.12", "XY"): 11,
    ("4.12", "fall"): 35,
}

# End of the axis of Fig. 4.21, the only legible one of the energy model without noise (S).
ENERGY_ITERATIONS = 20

# Tables 4.14 and 4.16: worst error of a mass in % by model and noise, and its mark.
SOURCE_NOISE: dict[tuple[str, float], tuple[float, str]] = {
    ("force", 0.0): (0.04, "S"),
    ("force", 0.01): (5.4, "P+"),
    ("force", 0.05): (6.0, "G"),
    ("energy", 0.0): (3.25, "S"),
    ("energy", 0.01): (37.79, "P+"),
}
CONCLUSION_NOISE = {"force": 9.2, "energy": 80.5}  # l.22385-86 (S): other numbers for the same 1 %

# Tables 4.9 and 4.17: energy model's inertias in kg m^2 and their marks, by motion; our names.
ENERGY_INERTIAS: dict[str, dict[str, tuple[float, str]]] = {
    "X": {
        "Ixx_b": (0.562, "G"), "Iyy_b": (0.06095, "P"), "Izz_b": (0.515, "G"), "Ixx_p": (0.089972, "P"),
        "Izz_p": (0.179863, "P"), "Iyy_p": (0.089953, "P"), "Ixx_e": (0.020455, "G"), "Izz_e": (0.018088, "G"),
        "Iyy_e": (50.8e-6, "P-"),
    },
    "Z": {
        "Ixx_b": (0.526, "G"), "Iyy_b": (0.05997, "P"), "Izz_b": (0.517, "P"), "Ixx_p": (0.08911, "P"),
        "Izz_p": (0.178280, "P"), "Iyy_p": (0.089152, "P"), "Ixx_e": (0.01787, "G"), "Izz_e": (0.01788, "P"),
        "Iyy_e": (55.3e-6, "P-"),
    },
    "XY": {
        "Ixx_b": (0.5665, "P+"), "Iyy_b": (0.060393, "P+"), "Izz_b": (0.565, "P+"), "Ixx_p": (0.09005, "P+"),
        "Izz_p": (0.179964, "P+"), "Iyy_p": (0.08983, "P+"), "Ixx_e": (0.02069, "P+"), "Izz_e": (0.02122, "P+"),
        "Iyy_e": (57.5e-6, "P-"),
    },
    "XY, 1 %": {
        "Ixx_b": (0.597, "P"), "Iyy_b": (0.06031, "P"), "Izz_b": (0.597, "P"), "Ixx_p": (0.08993, "P"),
        "Izz_p": (0.179746, "P"), "Iyy_p": (0.089725, "P"), "Ixx_e": (0.02264, "P"), "Izz_e": (0.02317, "P"),
        "Iyy_e": (50.6e-6, "G"),
    },
}  # fmt: skip
