# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Estimates from files, matched by what their parameters are, and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pkm_identification.errors import DocumentError, SettingsError
from pkm_identification.estimation.changes.comparison import Comparison, Measured, compare
from pkm_identification.estimation.statuses import is_doubtful, is_shown
from pkm_identification.numerics.arrays import FloatArray

from ..saved_estimate import SavedEstimate, read_estimate_document, saved_estimate


@dataclass(frozen=True)
class EstimateFile:
    """A saved estimate and what else its file says that matters alongside others.

    Attributes
    ----------
    path : str
    saved : SavedEstimate
    units : dict of str to str
        Of its parameters.
    tolerance_changes : ndarray, shape (K, P)
        See `Identification.tolerance_changes`; K = 0 where the file has none.
    logs : frozenset of str
        Digests of the logs it was made from; empty where the file does not say.
    """

    path: str
    saved: SavedEstimate
    units: dict[str, str]
    tolerance_changes: FloatArray
    logs: frozenset[str]


@dataclass(frozen=True)
class SavedComparison:
    """Estimates of files, compared with the first.

    Attributes
    ----------
    files : tuple of EstimateFile
    names, units : tuple of str, length C
        What was compared: parameters that every file shows, then combinations of the first file.
    doubtful : tuple of bool, length C
        Whether a file has it in doubt, because its model does not fit.
    comparison : Comparison
    left_out : dict of str to str
        What was not compared, and why.
    remarks : tuple of str
        What stands against the deviations of the differences, a sentence each.
    level : float
        Probability with which anything is called changed although nothing has.
    """

    files: tuple[EstimateFile, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]
    doubtful: tuple[bool, ...]
    comparison: Comparison
    left_out: dict[str, str]
    remarks: tuple[str, ...]
    level: float

    @property
    def changed(self) -> tuple[bool, ...]:
        """Whether each differs beyond chance; what is in doubt is not called changed."""
        return tuple(
            bool(p < self.level) and not doubt
            for p, doubt in zip(self.comparison.adjusted, self.doubtful, strict=True)
        )


def read_estimate_file(path: str | Path) -> EstimateFile:
    """Return an estimate.json for a comparison; raises DocumentError as `read_saved_estimate`."""
    document = read_estimate_document(path)
    saved = saved_estimate(str(path), document)
    entries = document.get("parameters")
    units = {
        str(entry.get("name")): str(entry.get("unit"))
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
    }
    missing = [name for name in saved.names if name not in units or name not in saved.status]
    if missing:
        raise DocumentError(f"{path}: parameters: has no unit and status of {missing[0]}")
    changes = document.get("tolerance_changes", [])
    try:
        shared = np.array(changes, dtype=float)
        shared = shared if shared.size else np.empty((0, len(saved.names)))
    except (TypeError, ValueError):
        shared = np.empty(0)
    if shared.ndim != 2 or shared.shape[1] != len(saved.names) or not np.isfinite(shared).all():
        raise DocumentError(f"{path}: tolerance_changes: must be rows of {len(saved.names)} finite numbers")
    origin = document.get("provenance")
    logs = origin.get("logs") if isinstance(origin, dict) else None
    digests = frozenset(
        str(log.get("sha256")) for log in (logs if isinstance(logs, list) else []) if isinstance(log, dict)
    )
    return EstimateFile(str(path), saved, units, shared, digests)


def compare_files(paths: Sequence[str | Path], level: float, common: bool = False) -> SavedComparison:
    """Compare saved estimates with the first of them.

    Parameters
    ----------
    paths : sequence of str or Path
        At least two estimate.json.
    level : float
        Probability with which anything may be called changed although nothing has.
    common : bool
        Whether estimates of different machines or parameter sets are compared where names and units are the same.

    Raises
    ------
    DocumentError
        If a file is no estimate.json, or they have nothing in common.
    SettingsError
        If they are of different machines or sets and that was not allowed, or fewer than two.
    """
    if not 0 < level < 1:
        raise SettingsError(f"--level {level:g}: must lie between 0 and 1")
    if len(paths) < 2:
        raise SettingsError(
            f"{paths[0] if paths else 'no file'}: is one estimate; name at least two to compare"
        )
    files = tuple(read_estimate_file(path) for path in paths)
    first = files[0]
    for other in files[1:]:
        _refuse_another(first, other, common)
    left_out: dict[str, str] = {}
    names = [name for name in first.saved.names if _is_comparable(name, files, left_out)]
    for other in files[1:]:
        for name in other.saved.names:
            if name not in first.saved.names:
                left_out[name] = f"not in {first.path}"
    # terms of combinations need not be shown alone, but in one unit
    shared_names = [
        name
        for name in first.saved.names
        if all(name in other.saved.names and other.units[name] == first.units[name] for other in files[1:])
    ]
    rows = [np.eye(len(shared_names))[shared_names.index(name)] for name in names]
    labels, units = list(names), [first.units[name] for name in names]
    for one in first.saved.combinations:
        terms = [name for name, weight in zip(first.saved.names, one.weights, strict=True) if weight]
        # a combination of what is compared one by one says nothing more
        if set(terms) <= set(shared_names) and not set(terms) <= set(names):
            rows.append(
                np.array([one.weights[first.saved.names.index(name)] for name in shared_names], dtype=float)
            )
            labels.append(one.name)
            units.append(one.unit)
    if not rows:
        raise DocumentError(f"{first.path}: no parameter that all {len(files)} files determine")
    same_machine = len({file.saved.machine_hash for file in files}) == 1
    measured = [_list_measured(file, shared_names, same_machine) for file in files]
    if len({len(one.shared) for one in measured}) > 1:
        measured = [Measured(one.values, one.covariance, one.shared[:0]) for one in measured]
    return SavedComparison(
        files=files,
        names=tuple(labels),
        units=tuple(units),
        doubtful=tuple(_list_affected(row, shared_names, files) for row in rows),
        comparison=compare(measured, np.array(rows)),
        left_out=left_out,
        remarks=_list_remarks(files, measured, same_machine),
        level=level,
    )


def _refuse_another(first: EstimateFile, other: EstimateFile, common: bool) -> None:
    if common:
        return
    for what, key in (
        ("machine", "machine"),
        ("description of the machine (hash)", "machine_hash"),
        ("parameter set", "parameter_set"),
        ("assumptions", "assumptions"),
        ("also estimated", "also"),
    ):
        mine, its = getattr(first.saved, key), getattr(other.saved, key)
        if None not in (mine, its) and mine != its:
            raise SettingsError(
                f"{other.path}: {what} {_quote(its)}, {first.path} has {_quote(mine)}; --common compares what has "
                "the same name and unit"
            )


def _quote(value: Any) -> str:
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return f"'{text}'" if text else "none"


def _is_comparable(name: str, files: Sequence[EstimateFile], left_out: dict[str, str]) -> bool:
    """Return whether every file shows a parameter of the first, in the same unit; notes why not."""
    unit = files[0].units[name]
    for file in files:
        if name not in file.saved.names:
            left_out[name] = f"not in {file.path}"
        elif file.units[name] != unit:
            left_out[name] = f"in {file.units[name]} in {file.path}, in {unit} in {files[0].path}"
        elif not is_shown(file.saved.status[name]):
            left_out[name] = f"not identifiable from {file.path}"
        else:
            continue
        return False
    return True


def _list_measured(file: EstimateFile, names: Sequence[str], same_machine: bool) -> Measured:
    places = [file.saved.names.index(name) for name in names]
    shared = file.tolerance_changes if same_machine else file.tolerance_changes[:0]
    return Measured(file.saved.mean[places], file.saved.covariance[np.ix_(places, places)], shared[:, places])


def _list_affected(row: FloatArray, names: Sequence[str], files: Sequence[EstimateFile]) -> bool:
    terms = [name for name, weight in zip(names, row, strict=True) if weight]
    return any(
        not file.saved.converged
        or (file.saved.answer is not None and not file.saved.answer.verdict.good)
        or any(is_doubtful(file.saved.status[name]) for name in terms)
        or any(
            is_doubtful(one.status) and np.any(one.weights[[file.saved.names.index(name) for name in terms]])
            for one in file.saved.combinations
        )
        for file in files
    )


def _list_remarks(
    files: Sequence[EstimateFile], measured: Sequence[Measured], same_machine: bool
) -> tuple[str, ...]:
    remarks = [
        f"{file.path}: the estimator had not converged: nothing is called changed"
        for file in files
        if not file.saved.converged
    ]
    for k, file in enumerate(files):
        for other in files[k + 1 :]:
            if file.logs & other.logs:
                remarks.append(
                    f"{file.path} and {other.path} come from the same log: their errors are not independent, and their "
                    "differences are smaller than the deviations say"
                )
    if len(measured[0].shared):
        remarks.append(
            "tolerances of the machine file are the same error in all files: they count as far as the motions differ"
        )
    elif any(len(file.tolerance_changes) for file in files):
        why = "the files have different numbers of them" if same_machine else "the machines are not the same"
        old = next((file.path for file in files if not len(file.tolerance_changes)), None)
        if same_machine and old is not None:
            why = f"{old}, of an older version, does not say what they do to its values"
        remarks.append(f"tolerances of the machine files count as independent errors, because {why}")
    return tuple(remarks)
