# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tables 3.1 and 3.2: every estimator and record beside the source's."""

from __future__ import annotations

from pkm_identification.mechanisms.pendulum.model import NAMES
from pkm_identification.report.listing import ABSENT, Listing, number, with_deviation

from .data import (
    ITERATIONS,
    LEAST_SQUARES_ITERATIONS,
    NOISE,
    RATIO_NAMES,
    SOURCE_LEAST_SQUARES,
    SOURCE_UKF_M,
    TRUE,
    TRUE_RATIOS,
)
from .runs import PendulumStudy

EXACT = 1e-12  # a standard deviation that is rounding


def run_table(study: PendulumStudy) -> Listing:
    """One estimator and record a row, the source's beside."""
    header = ("noise", "estimator", "samples", *NAMES, *(f"{name} ± std" for name in RATIO_NAMES))
    rows = [
        ("", "true", "", *(f"{v:.2f}" for v in TRUE), *(f"{v:.4f}" for v in TRUE_RATIOS)),
        (
            "0 %",
            "source, LS",
            f"{LEAST_SQUARES_ITERATIONS} it.",
            *(_format_marked(name) for name in NAMES),
            ABSENT,
            ABSENT,
        ),
        (
            "0 %",
            "source, UKF",
            f"{ITERATIONS} it.",
            *(f"{v:.2f} (P)" for v in (*TRUE[:4], SOURCE_UKF_M)),
            f"{TRUE[2] / SOURCE_UKF_M:.4f}",
            f"{TRUE[3] / SOURCE_UKF_M:.4f}",
        ),
    ]
    for label, runs in (("0 %", study.exact), (f"{100 * NOISE:g} %", study.noisy)):
        for one in runs:
            name = one.estimator.upper() + (" rm" if one.adaptation == "robbins_monro" else "")
            if one.estimator != "ls" and len(one.history) > ITERATIONS:
                early = one.history[ITERATIONS - 1]
                rows.append(
                    (
                        label,
                        name,
                        str(ITERATIONS),
                        *(number(v, 4) for v in early),
                        *(f"{v:.4f}" for v in early[2:4] / early[4]),
                    )
                )
            ratio, std = one.ratios()
            rows.append(
                (
                    label,
                    name,
                    str(len(study.motion)),
                    *(number(v, 4) for v in one.values),
                    *(_format_with_deviation(v, s) for v, s in zip(ratio, std, strict=True)),
                )
            )
    return Listing(header, tuple(rows), frozenset(header[2:]))


def _format_marked(name: str) -> str:
    """Return a value of the source's least squares with its mark."""
    if name not in SOURCE_LEAST_SQUARES:
        return ABSENT
    value, mark = SOURCE_LEAST_SQUARES[name]
    return f"{value:.2f} ({mark})"


def _format_with_deviation(value: float, std: float) -> str:
    return " ± ".join(with_deviation(value, std)) if std > EXACT else f"{value:.4f}"
