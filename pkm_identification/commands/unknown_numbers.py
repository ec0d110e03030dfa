# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""pkm identify --unknown: numbers of a machine file on which forces do not depend linearly."""

from __future__ import annotations

import argparse

from pkm_identification.document import format_key
from pkm_identification.errors import SettingsError
from pkm_identification.identification.procedures.file_numbers import NumbersFit, fit_numbers
from pkm_identification.identification.settings import Settings
from pkm_identification.report.listing import Listing, number, paragraph, with_deviation

from .machine_logs import MachineLogs
from .results import present

ESTIMATOR = "ukf"
REFUSED = (
    "also",
    "fix",
    "tie",
    "prior",
    "free_fall",
    "payload",
    "unloaded",
    "validate",
    "out",
    "report",
    "causal",
)
SHARE = 0.1  # of a direction's largest change: numbers that change less have no part in it


def estimate_numbers(options: argparse.Namespace, of_machine: MachineLogs) -> int:
    """Print the numbers that are asked for, as estimated; return 1 if the machine does not explain the log with them.

    Raises
    ------
    SettingsError
        If an option does not go with it, or a number is not in the file.
    """
    if options.estimator not in (None, "", ESTIMATOR):
        raise SettingsError(f"--unknown: is estimated by --estimator {ESTIMATOR}, not {options.estimator}")
    given = [f"--{name.replace('_', '-')}" for name in REFUSED if getattr(options, name)]
    if given:
        raise SettingsError(f"--unknown: does not go with {', '.join(given)}")
    names = [name.strip() for name in options.unknown.split(",") if name.strip()]
    tuning = {name: getattr(options, name) for name in ("cutoff", "order", "alpha", "beta", "kappa")}
    logs = of_machine.read_all(options.logs)
    fit = fit_numbers(of_machine.machine, logs, names, Settings.of(estimator=ESTIMATOR, **tuning))
    present(_format_numbers(fit), _build_document(fit), options.json)
    return 0 if fit.usable and fit.known.any() else 1


def _format_numbers(fit: NumbersFit) -> str:
    rows = tuple(
        (
            format_key(path),
            number(guess, 4),
            *with_deviation(value, std),
            "known" if known else "not by itself",
        )
        for path, guess, value, std, known in zip(
            fit.paths, fit.guess, fit.values, fit.std, fit.known, strict=True
        )
    )
    table = Listing(
        ("number", "file", "value", "deviation", "from this log"), rows, frozenset(("file", "value"))
    )
    notes = [
        f"{fit.samples} samples; the machine with these numbers does not explain {100 * fit.residual:.2g} % of the "
        "accelerations"
        + ("." if fit.usable else ": do not use them; the machine file is wrong or the log is.")
    ]
    for one in fit.unseen:
        parts = [
            f"{format_key(p)} by {v:+.2g}" for p, v in zip(fit.paths, one, strict=True) if abs(v) > SHARE
        ]
        notes.append(f"The log cannot separate these relative changes: {', '.join(parts)}.")
    return "\n".join([str(table), "", *map(paragraph, notes)])


def _build_document(fit: NumbersFit) -> dict[str, object]:
    return {
        "numbers": [
            {"path": path, "file": guess, "value": value, "std": std, "known": bool(known)}
            for path, guess, value, std, known in zip(
                fit.paths, fit.guess.tolist(), fit.values.tolist(), fit.std.tolist(), fit.known, strict=True
            )
        ],
        "unseen": [dict(zip(fit.paths, one.tolist(), strict=True)) for one in fit.unseen],
        "residual": fit.residual,
        "samples": fit.samples,
        "usable": fit.usable,
    }
