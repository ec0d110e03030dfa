# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `identifiability` writes: reduced sets, the folder of --out."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import SettingsError
from pkm_identification.identification.excitation.shown import Shown
from pkm_identification.identification.procedures.forecast import Forecast
from pkm_identification.identification.procedures.pruning import Reduced, reduce_set
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.parameters.reduced import ENDING
from pkm_identification.parameters.reduced import reduced_text as set_text
from pkm_identification.records.atomic import write_text

from .identifiability_study import Study
from .results import check_file, output_folder, say, write_figures, write_json

SHARE = 0.7  # of each motion, by which a set is reduced; the rest confirms it


def check_reduced(options: argparse.Namespace) -> None:
    """Refuse a bound that is none, and a set without a place."""
    if options.drop_below is not None and not 0 < options.drop_below < 1:
        raise SettingsError(f"--drop-below {100 * options.drop_below:g}: must be between 0 and 100 %")
    if (options.drop_below is None) != (options.reduced is None):
        raise SettingsError("--drop-below and --reduced FILE go together")
    if options.reduced is not None and not options.reduced.endswith(ENDING):
        raise SettingsError(f"--reduced {options.reduced}: must end in {ENDING}")
    check_file(options.reduced, "--reduced")


def write_reduced(options: argparse.Namespace, study: Study) -> Reduced:
    """The set of --drop-below, found in the first part of every motion and tried on the rest, as the file --reduced."""
    ends = [round(SHARE * len(one.columns)) for one in study.responses]
    pairs = list(zip(study.responses, ends, strict=True))
    columns = np.concatenate([one.columns[:end] for one, end in pairs])
    held = np.concatenate([one.columns[end:] for one, end in pairs])
    less = reduce_set(study.parameters, columns, options.drop_below, held, study.subject, study.row_scale)
    why = f"pkm identifiability --drop-below {100 * options.drop_below:g}, {study.source}"
    write_text(options.reduced, set_text(study.owner, study.set_name, less.values, why))
    return less


def write_shown(
    name: str,
    forecast: Forecast,
    seen: Shown,
    document: dict[str, Any],
    title: str,
    scale: FloatArray,
    saved: Mapping[str, float] | None = None,
) -> None:
    """The folder of --out."""
    # matplotlib takes longer to load than a motion to be judged
    from pkm_identification.report.identifiability.folder import figures, write_tables

    folder: Path = output_folder(name)
    drawn = figures(forecast, seen, title, scale, saved)
    write_json(folder / "identifiability.json", document)
    write_tables(folder, forecast, seen)
    write_figures(folder, drawn)
    say(f"tables and figures -> {folder}")
