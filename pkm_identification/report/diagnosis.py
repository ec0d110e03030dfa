# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A diagnosis in sentences that a mechanic can act on."""

from __future__ import annotations

import math

from pkm_identification.estimation.posterior.thresholds import MAX_FLOOR_RATIO
from pkm_identification.identification.diagnosis.findings import FORCE_FACTOR, Cause, Diagnosis

from .listing import Listing, number, with_deviation

MOST_CAUSES = 5
# Units in which a size is easier to read than in SI units: (unit, factor, name).
_READABLE = {"s": (1e3, "ms"), "m": (1e3, "mm"), "m/s": (1e3, "mm/s"), "rad": (180.0 / math.pi, "°")}
# What is wrong, by the name of the cause or the part of it in front of a strut's number; {size} is value and unit.
_WHAT = {
    "force_sign": "The force{strut} has the other sign",
    "coordinate_sign": "All coordinates have the other sign",
    "force_unit": "The forces are in the wrong unit",
    "length_unit": "The lengths are in the wrong unit",
    "time_unit": "The time stamps are in the wrong unit",
    "exchanged_struts": "Forces are in the columns of other drives",
    "exchanged_drives": "Forces are in the columns of other drives",
    "exchanged_lengths": "Coordinates are in the columns of other drives",
    "force_unmeasured": "The force{strut} does not follow the motion: it contains {size} of the predicted force",
    "force_delay": "The force{strut} comes {size} late",
    "force_gain": "The force{strut} is measured {size} times as large as it is",
    "force_offset": "The force{strut} is off by {size}",
    "offset_drift": "The offset of the force{strut} drifts by {size}",
    "gain_drift": "The gain of the force{strut} drifts by {size}",
    "gravity_direction": "The direction of gravity differs from the machine file by {size}",
    "motor_inertia": "The model lacks the inertia of the motors, {size} at each drive",
    "center_of_mass": "The platform's centre of mass differs from the model by {size}",
    "products_of_inertia": "The model lacks products of inertia of the platform, {size}",
    "unequal_struts": "The struts differ from each other by {size} (relative)",
    "friction_transition": "The transition rate of friction is {size}, which differs from the machine file",
    "friction_stribeck": "Friction near standstill is larger by {size} of Coulomb friction (Stribeck)",
    "friction_presliding": "Drives deflect by about {size} before they slide (presliding)",
    "friction_asymmetric": "Coulomb friction{strut} is larger moving out than in, by {size} (relative)",
    "friction_square": "Friction{strut} grows with the square of the rate, by {size}",
    "friction_sides": "Viscous friction{strut} is larger moving out than in, by {size} above and below the mean",
    "friction_load": "Friction grows with the load, by {size} N per N",
    "friction_position": "Friction{strut} changes along the travel, by {size}",
    "joint_friction": "The joints have friction of {size}",
    "length_offset": "The length{strut} is off by {size} (encoder zero)",
    "length_drift": "The zero of the length{strut} drifts by {size}",
    "angle_drift": "The zero of the angle{strut} drifts by {size}",
    "coordinate_drift": "The zero of the coordinate{strut} drifts by {size}",
    "length_scale": "The travel{strut} is measured as {size} times the true one (pitch)",
    "angle_offset": "The angle{strut} is off by {size} (encoder zero)",
    "angle_scale": "The angle{strut} is measured as {size} times the true one (gear)",
    "coordinate_offset": "The coordinate{strut} is off by {size} (encoder zero)",
    "coordinate_scale": "The coordinate{strut} is measured as {size} times the true one (pitch or gear)",
    "geometry": "Positions of joints differ from the machine file by {size} rms",
    "saturation": "The force{strut} is clipped at {size}",
    "lost_counts": "The length{strut} jumps by {size}",
    "changed_during_log": "Parameters change in the second half of the log, by {size} (relative)",
    "hinge_axis": "The direction of the fixed hinges differs from the machine file by {size}",
    "hinge_at_platform": "The struts turn as if their universal joints were at the platform ({size} of that motion)",
    "no_spin": "The struts' spin is not that of the joints in the machine file ({size} of the difference)",
    "compliance": "Drives deflect by {size} between encoder and machine",
}

# What they are called in a table, where that is not their name
_FAULTS = {
    "friction_transition": "transition rate of friction",
    "friction_stribeck": "Stribeck friction, over Coulomb friction",
    "friction_presliding": "presliding displacement",
    "friction_asymmetric": "Coulomb friction by direction, over Coulomb friction",
    "friction_square": "friction with the square of the rate",
    "friction_sides": "viscous friction by direction",
    "friction_load": "friction with the load, N per N",
    "friction_position": "friction along the travel, relative",
    "force_lag": "lag of the force, squared",
    "geometry": "joint positions",
    "time_base": "rate of the clock, relative",
    "force_gain": "force gain, relative",
    "gain_drift": "drift of the force gain, relative",
    "offset_drift": "drift of the force offset",
    "gravity_size": "size of gravity",
    "platform_wrench": "force on the platform",
    "platform_spring": "spring at the platform",
    "platform_damper": "damper at the platform",
    "platform_friction": "friction at the platform",
    "stated_numbers": "numbers that the file states, relative",
}

# The same of one drive, where that is said otherwise
_WHAT_OF_ONE = {
    "coordinate_sign": "The coordinate{strut} has the other sign",
    "force_unit": "The force{strut} has another unit than the others",
    "motor_inertia": "The model lacks the inertia of the motor{strut}, {size}",
    "friction_presliding": "The drive{strut} deflects by about {size} before it slides (presliding)",
    "friction_transition": "The transition rate of friction{strut} is {size}, which differs from the machine file",
    "friction_stribeck": "Friction{strut} near standstill is larger by {size} of Coulomb friction (Stribeck)",
    "compliance": "The drive{strut} deflects by {size} between encoder and machine",
}
# The same of causes whose size is a force, where others have it relative to Coulomb friction
_WHAT_IN_FORCE = {
    "friction_stribeck": "Friction near standstill{strut} is larger by {size} (Stribeck)",
    "friction_asymmetric": "Coulomb friction{strut} is larger moving out than in: {size} above and below the mean",
}
# What says the same of a negative size, for causes whose sentence has a sense.
_OPPOSITE = {
    "force_delay": (" late", " early"),
    "friction_stribeck": ("larger by", "smaller by"),
    "friction_asymmetric": ("moving out than in", "moving in than out"),
    "friction_sides": ("moving out than in", "moving in than out"),
    "friction_load": ("grows with", "falls with"),
}


def format_cause_lines(diagnosis: Diagnosis) -> list[str]:
    """Return known causes of a misfit, the likeliest first; of causes that nobody is to act on the nearest ones."""
    lines = [
        f"{k}. {sentence(cause, diagnosis)}" for k, cause in enumerate(diagnosis.causes[:MOST_CAUSES], 1)
    ]
    if any(cause.correction for cause in diagnosis.causes):
        return lines
    if diagnosis.ratio <= MAX_FLOOR_RATIO:  # of a conflict with the file, or of another fit
        return ["Nearest known causes:", *lines]
    if min(compute_remaining_ratio(cause, diagnosis) for cause in diagnosis.causes) <= MAX_FLOOR_RATIO:
        return ["Known effects that may explain the residual:", *lines]
    return ["No known cause explains the residual. Nearest known causes:", *lines]


def compute_remaining_ratio(cause: Cause, diagnosis: Diagnosis) -> float:
    """Return how many times the noise floor the residual is with this cause alone in the model."""
    return math.sqrt(1.0 + (1.0 - cause.explains) * max(diagnosis.ratio**2 - 1.0, 0.0))


def sentence(cause: Cause, diagnosis: Diagnosis | None = None) -> str:
    """Return a cause: how large, how much of the misfit it explains, and what to do, if anything.

    Of a cause that nobody is to act on it says, given the `diagnosis`, how large the residual is with it: most of a
    large one may be explained, and the remainder still be far more than noise.
    """
    if cause.explains and diagnosis is not None and not cause.correction:
        remaining = number(compute_remaining_ratio(cause, diagnosis), 3)
        consequence = f"with this effect alone the residual is {remaining} times the noise floor"
    elif cause.explains:
        consequence = f"that explains {100 * cause.explains:.0f} % of the misfit"
    elif cause.family == FORCE_FACTOR:
        consequence = "it leaves no residual, but masses, moments and friction are wrong by the same factor"
    else:
        consequence = "it leaves no residual"
    sentence = f"{describe_cause(cause)}: {consequence}."
    if cause.correction:
        sentence += f" {cause.correction}."
    return sentence


def build_unseen_table(diagnosis: Diagnosis) -> Listing:
    """Return the smallest fault of each kind that this log would have revealed."""
    rows = []
    for one in diagnosis.unseen:
        factor, unit = _READABLE.get(one.unit, (1.0, one.unit))
        name = _FAULTS.get(one.name, one.name.replace("_", " "))
        rows.append((name, f"{_write_size(factor * one.size)} {unit.replace('^2', '²')}".rstrip()))
    return Listing(("fault", "from"), tuple(rows), frozenset({"from"}))


def _write_size(size: float) -> str:
    """Return a size with two digits, and no exponent where the number is short without."""
    return f"{size:.0f}" if 100.0 <= size < 1e5 else number(size, 2)


def describe_cause(cause: Cause) -> str:
    """Return what is wrong and how large it is, without what to do."""
    stem, strut = _split_cause(cause.name)
    text = _WHAT.get(stem, f"{stem.replace('_', ' ').capitalize()}{{strut}}: {{size}}")
    if strut:
        text = _WHAT_OF_ONE.get(stem, text)
    if cause.unit:
        text = _WHAT_IN_FORCE.get(stem, text)
    value = cause.value
    if value < 0.0 and stem in _OPPOSITE:
        text, value = text.replace(*_OPPOSITE[stem]), -value
    what = text.format(strut=strut, size=_format_size(value, cause)).strip()
    return f"{what} ({cause.detail})" if cause.detail else what


def _split_cause(name: str) -> tuple[str, str]:
    """Return what a cause is called whichever drive it is of, and that drive in words."""
    stems = [stem for stem in _WHAT if name == stem or name.startswith(f"{stem}_")]
    stem = max(stems, key=len, default=name)
    drive = name.removeprefix(stem).removeprefix("_")
    return stem, f" of strut {drive}" if drive.isdigit() else f" of {drive}" if drive else ""


def _format_size(value: float, cause: Cause) -> str:
    factor, unit = _READABLE.get(cause.unit, (1.0, cause.unit))
    if cause.std == 0.0:  # one of a few that are possible
        return f"{number(factor * value)} {unit}".strip()
    shown, std = with_deviation(factor * value, factor * cause.std)
    return f"{shown} ± {std} {unit}".strip()
