# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of an identification as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pkm_identification.estimation.identifiability import (
    COMBINATION,
    IDENTIFIABLE,
    IN_DOUBT,
    UNIDENTIFIABLE,
    Combination,
)
from pkm_identification.estimation.posterior import thresholds as verdict_thresholds
from pkm_identification.machines.capabilities import PlatformPose, has
from pkm_identification.machines.contract import Drive, Machine
from pkm_identification.numerics.arrays import FloatArray

from .listing import (
    ABSENT,
    Listing,
    number,
    percent,
    relative,
    with_deviation,
    write_term,
)

if TYPE_CHECKING:
    from pkm_identification.estimation.estimate import ParameterEstimate
    from pkm_identification.identification.result import Identification
    from pkm_identification.identification.validation import Validation

SUM_DIGITS = 6  # of the factors of a sum
LONGEST_NAME = 22  # of a combination that is named in the parameter column

# What each reason for which samples are not used, or segments begin, means.
REASONS = {
    "repeated_header": "header lines in the middle of a file: the logger was restarted",
    "cut": "recordings that end in the middle of their file: what stands before is used",
    "missing_name": "messages that do not name every strut",
    "repeated_name": "messages that name a strut more than once",
    "unequal_lengths": "messages with arrays of unequal lengths",
    "zero_stamp": "messages without a stamp",
    "bad_stamp": "messages with a stamp that cannot be",
    "missing": "samples that never came",
    "not_finite": "samples with an empty or infinite value",
    "duplicate": "samples with the stamp of the one before",
    "extra": "samples between two of the regular clock, as a second publisher sends",
    "late": "samples stamped before the newest",
    "ahead": "samples stamped far ahead, not yet believed",
    "spike": "samples that no strut or drive can have reached since the one before",
    "out_of_limits": "samples with a coordinate outside the machine's limits",
    "gap": "holes too long to fill: a new segment begins",
    "clock_jump": "clock set back: a new segment begins",
    "wrong_rate": "samples at a rate that is too far off, or with too many missing around them",
    "filled": "single missing samples filled in by a straight line",
    "no_force": "samples without strut forces",
    "no_pose": "samples for which forward kinematics found no good pose",
    "stepping": "samples while a length steps: an encoder that loses counts, or a blow",
    "resting": "equations of a machine at standstill, where friction can have any value",
    "standing": "force equations of drives that stand still while others move",
    "resampled": "samples taken at an even clock between uneven stamps",
    "gated": "equations that the estimator's gate kept out",
    "outlier": "equations that do not fit the others: without weight in the robust fit",
}


def estimate_table(
    estimate: ParameterEstimate,
    truth: FloatArray | None = None,
    near_zero: tuple[str, ...] = (),
    *,
    compared: bool = False,
) -> Listing:
    """Return parameters with nominal value, estimate, standard deviation and status.

    A value that is not identifiable is left out: what the estimator holds there is the prior. Combinations that are
    identified follow below, long ones under their first term and a number (all: `list_combination_sums`).

    Parameters
    ----------
    estimate : ParameterEstimate
    truth : ndarray, shape (P,), optional
        True values, where they are known; adds the columns `true` and `error %`.
    near_zero : tuple of str
        Names of those not distinguishable from zero (`identification.near_zero`), which the status says.
    compared : bool
        Whether the estimate stands next to the full model's, which says what is identified.
    """
    rows = []
    entries = [
        (name, unit, nominal, value, std, status, None if truth is None else float(truth[i]))
        for i, (name, unit, nominal, value, std, status) in enumerate(
            zip(
                estimate.names,
                estimate.units,
                estimate.nominal.tolist(),
                estimate.values.tolist(),
                estimate.std.tolist(),
                estimate.status,
                strict=True,
            )
        )
    ]
    entries += [
        (
            label, c.unit, c.nominal, c.value, c.std, _format_combination_status(c),
            None if truth is None else float(c.weights @ truth),
        )
        for label, c in zip(format_combination_labels(estimate), estimate.combinations, strict=True)
    ]  # fmt: skip
    for name, unit, nominal, value, std, status, true in entries:
        identified = status not in (COMBINATION, UNIDENTIFIABLE)
        value_text, std_text = with_deviation(value, std) if identified else ("-", "-")
        row = [name, unit, number(nominal)]
        if true is not None:
            row.append(number(true))
        row += [value_text, std_text]
        if true is not None:
            row.append(percent(relative(value, true)) if identified else "-")
        text = SHOWN if compared and status == IDENTIFIABLE else STATUS_TEXT.get(status, status)
        rows.append((*row, f"{text}, {NEAR_ZERO}" if name in near_zero else text))
    header: tuple[str, ...] = ("parameter", "unit", "nominal", "estimate", "std", "status")
    if truth is not None:
        header = ("parameter", "unit", "nominal", "true", "estimate", "std", "error %", "status")
    return Listing(header, tuple(rows), frozenset({"nominal", "true", "estimate", "std", "error %"}))


def _format_combination_status(combination: Combination) -> str:
    return "affected combination" if combination.status == IN_DOUBT else "identified combination"


def format_combination_labels(estimate: ParameterEstimate) -> list[str]:
    """Return what each combination is called where its name is too long: its first term, and a number."""
    labels, count = [], 0
    for one in estimate.combinations:
        if len(one.name) <= LONGEST_NAME:
            labels.append(one.name)
            continue
        count += 1
        labels.append(f"{one.name.split()[0]} + ... ({count})")
    return labels


def list_combination_sums(estimate: ParameterEstimate) -> list[tuple[str, str]]:
    """Return labels of combinations with long names, and these names."""
    pairs = zip(format_combination_labels(estimate), estimate.combinations, strict=True)
    return [(label, one.name) for label, one in pairs if label != one.name]


def label_sums(table: Listing, sums: Mapping[str, Mapping[str, float]]) -> Listing:
    """Return the table with `(sum)` after names, in the first column, of parameters that are sums of several."""
    labels = {name: f"{name} (sum)" for name, terms in sums.items() if len(terms) > 1}
    return replace(table, rows=tuple((labels.get(row[0], row[0]), *row[1:]) for row in table.rows))


def list_parameter_sums(sums: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str]]:
    """Return names of parameters that stand for a sum of several, and these sums."""
    return [
        (
            name,
            name
            + "".join(write_term(factor, term, SUM_DIGITS) for term, factor in terms.items() if term != name),
        )
        for name, terms in sums.items()
        if len(terms) > 1
    ]


def build_sums_table(result: Identification) -> Listing:
    """Return what names of the table stand for: sums of base parameters, and combinations with long names."""
    rows = [*list_parameter_sums(result.sums), *list_combination_sums(result.estimate)]
    return label_sums(Listing(("name", "sum"), tuple(rows)), result.sums)


SHOWN = "determined by this motion"
NEAR_ZERO = "not distinguishable from 0"
STATUS_TEXT = {
    IDENTIFIABLE: "identified",
    IN_DOUBT: "affected: do not use",
    COMBINATION: "only in a combination",
    UNIDENTIFIABLE: "not identifiable",
}


def validation_table(validation: Validation, drives: Sequence[Drive]) -> Listing:
    """How well forces that were not used for the estimate are predicted, drive by drive, and by the file's values."""
    force, error = validation.rms
    units = [drive.force_unit for drive in drives]
    alike = len(set(units)) == 1
    # one number of decimals per column, so that the column can be read downwards
    places = [(_count_decimals(np.median(force), 4), _count_decimals(np.median(error), 3))] * len(drives)
    if not alike:
        places = [(_count_decimals(f, 4), _count_decimals(e, 3)) for f, e in zip(force, error, strict=True)]
    unit = f" {units[0]}" if alike else ""
    columns = {
        f"force rms{unit}": [f"{one:.{index}f}" for one, (index, _) in zip(force, places, strict=True)],
        f"error rms{unit}": [f"{one:.{index}f}" for one, (_, index) in zip(error, places, strict=True)],
    }
    for column, index in zip(columns.values(), (0, 1), strict=True):
        total = float(np.sqrt(np.mean((force, error)[index] ** 2)))
        column.append(f"{total:.{places[0][index]}f}" if alike else ABSENT)
    for title, each, total in (
        ("error %", validation.rms_percent, validation.rms_percent_total),
        ("error % unfiltered", validation.rms_percent_raw, validation.rms_percent_raw_total),
        ("file's error %", validation.nominal_rms_percent, validation.nominal_percent),
    ):
        if len(each) and np.isfinite(total):
            columns[title] = [f"{one:.2f}" for one in (*each, total)]
    names = [drive.label for drive in drives]
    if not alike:
        columns = {"unit": [*units, ABSENT], **columns}
    rows = zip([*names, "all"], *columns.values(), strict=True)
    return Listing((drives[0].part, *columns), tuple(rows), frozenset(columns) - {"unit"})


def dropped_table(counts: Mapping[str, int]) -> Listing:
    """Counts by reason with what the reason means; reasons counted zero times are left out."""
    rows = tuple((reason, str(count), REASONS.get(reason, "")) for reason, count in counts.items() if count)
    return Listing(("reason", "count", "meaning"), rows, frozenset({"count"}))


def machine_table(machine: Machine) -> Listing:
    """Return what a machine description says, one property a row."""
    rows = [("name", machine.name), ("description", describe_machine(machine)), ("digest", machine.hash)]
    rows.append(("gravity", f"{_format_vector(machine.gravity)} m/s²"))
    if has(machine, PlatformPose):
        rows.append(("home position", f"{_format_vector(machine.home_pose[0])} m"))
    titles: dict[str, list[str]] = {}
    for drive in machine.drives:
        titles.setdefault(_format_limits(drive), []).append(drive.title)
    rows += [(_join_titles(names), limits) for limits, names in titles.items()]
    masses = Counter((body.name.rstrip("_0123456789"), body.mass.value) for body in machine.knowledge.bodies)
    parts = (
        f"{name} {mass:g}" + (f" ({count} times)" if count > 1 else "")
        for (name, mass), count in masses.items()
    )
    rows.append(("masses", f"{', '.join(parts)} kg (of the file)"))
    if machine.sample_rate is not None:
        rows.append(("drives report at", f"{machine.sample_rate:g} Hz"))
    return Listing(("property", "value"), tuple(row for row in rows if row[1]))


def describe_machine(machine: Machine) -> str:
    """Return what the machine file says of the machine in words; empty where it says nothing."""
    return str(machine.document.get("description") or "")


def _format_limits(drive: Drive) -> str:
    """Return what a drive can do, as far as the file says it."""
    parts = [f"in {drive.unit}, limits not stated"]
    if np.isfinite(drive.highest - drive.lowest):
        parts = [f"{drive.lowest:g} to {drive.highest:g} {drive.unit}"]
    if np.isfinite(drive.rated_rate):
        parts.append(f"up to {drive.rated_rate:g} {drive.unit}/s")
    if np.isfinite(drive.rated_force):
        parts.append(f"up to {drive.rated_force:.4g} {drive.force_unit}")
    if np.isfinite(drive.reported.per_ampere):
        parts.append(f"{drive.reported.per_ampere:.4g} {drive.force_unit}/A")
    return ", ".join(parts)


def _join_titles(names: Sequence[str]) -> str:
    """Return drives in a row by the first and the last of them."""
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1].rpartition(' ')[2]}"


def settings_table(result: Identification) -> Listing:
    """Return how an identification was made, one setting a row."""
    settings = result.settings
    estimator = settings.estimator
    delay = f", delay {1e3 * result.delay:.1f} ms" if result.delay else ""
    rows = (
        ("estimator", estimator.name),
        ("model", estimator.model),
        (
            "parameter set",
            result.parameters.name + (", consistent with a rigid body" if estimator.consistent else ""),
        ),
        *((("stated beforehand", estimator.assumptions.described()),) if estimator.assumptions else ()),
        *(
            [("kinematic filter", f"{number(settings.filter.cutoff)} Hz, order {settings.filter.order}")]
            if settings.filter.cutoff
            else []
        ),
        ("low-pass of forces", f"{settings.band.cutoff:g} Hz, order {settings.band.order}"),
        ("direction", f"causal{delay}" if settings.causal else "zero phase"),
        ("samples", str(result.samples)),
        ("equations", str(result.estimate.count)),
    )
    return Listing(("setting", "value"), rows)


def build_thresholds_table() -> Listing:
    """Return the numbers that decide statuses and verdicts, by the names they have in the sources."""
    rows = [
        (
            name.lower().replace("_", " "),
            f"{value:g}",
            verdict_thresholds.__name__.removeprefix("pkm_identification."),
        )
        for name, value in vars(verdict_thresholds).items()
        if name.isupper() and isinstance(value, float)
    ]
    return Listing(("threshold", "value", "defined in"), tuple(rows), frozenset({"value"}))


def _count_decimals(value: float, digits: int) -> int:
    """Decimals that show a value with so many digits."""
    return max(0, digits - 1 - math.floor(math.log10(value))) if value > 0 else 0


def _format_vector(values: FloatArray) -> str:
    return "[" + ", ".join(f"{value:g}" for value in values) + "]"
