# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers of a mechanism's file held against its size, masses and gravity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pkm_identification.document import Problems
from pkm_identification.errors import MachineError
from pkm_identification.numerics.arrays import FloatArray

from ...plausibility import (
    ANGLE_UNITS,
    LEAST_OFFSET,
    LENGTH_UNITS,
    MOST_OFFSET,
    BodyNumbers,
    format_body_complaints,
    format_gravity_complaint,
    gyration_bounds,
    propose_units,
    show_value,
    units_within,
)
from ..numbers.arithmetic import FLOAT64
from .parts import compute_central_moments
from .records import GROUND, Body, Description, Joint

# A joint's place is in another unit if it is so many times as far out as half of the others, and as the next
FAR_OUT, FARTHER = 100.0, 10.0
_ALONG_AXIS = ("revolute", "prismatic")  # joints whose place may be anywhere along their axis


def check_plausibility(description: Description) -> None:
    """Refuse numbers that no mechanism of this size and mass has.

    Raises
    ------
    MachineError
        Names every such key, its value, what is allowed, and the unit that would fit.
    """
    document, source = description.document, description.source
    problems = Problems()
    found = [format_gravity_complaint(FLOAT64.array(description.gravity), document.get("gravity"))]
    places = _place_complaints(description)
    found += places or format_body_complaints(_check_bodies(description), "joints")
    found += [] if places else [*_check_slides(description), *_measure_complaints(description)]
    problems.found += [f"{source}: {one}" for one in found if one]
    problems.refuse(source, MachineError)


def impossible_gyration(description: Description) -> list[BodyNumbers]:
    """Return the bodies whose radius of gyration none of their size and mass has."""
    return [body for body in _check_bodies(description) if len(set(gyration_bounds(body))) > 1]


def _check_bodies(description: Description) -> list[BodyNumbers]:
    points, size = _locate_points(description), compute_machine_size(description)
    return [_list_numbers(body, description, points[body.name], size) for body in description.bodies]


def _measure_complaints(description: Description) -> list[str]:
    """Return which points and levers of drives, outputs and readings are far larger than the joints are apart."""
    most = FAR_OUT * max((_spread(one) for one in _locate_points(description, ()).values()), default=0.0)
    sections = {
        "drives": [drive.measure for drive in description.drives],
        "outputs": list(description.outputs),
        "readings": list(description.readings),
    }
    found = []
    for section, measures in sections.items():
        for measure in measures if most else ():
            key = f"{section}.{measure.name}.{'point' if measure.kind == 'position' else measure.kind}"
            far = max(float(np.linalg.norm(FLOAT64.array(point))) for point in measure.points)
            units, power = LENGTH_UNITS, 1
            if measure.kind == "lever":
                far, power = abs(FLOAT64.number(measure.numbers[0])) ** 0.5, 2
                key = f"{section}.{measure.name}.lever.square"
                units = {f"{name}^2": factor for name, factor in LENGTH_UNITS.items()}
            names = units_within(far, 0.0, most, units)
            if far > most and names:
                size = far**power
                found.append(
                    f"{key}: {size:.4g} m{'^2' * (power - 1)}; must be at most {most**power:.4g}{propose_units(names)}"
                )
    return list(dict.fromkeys(found))


def compute_machine_size(description: Description) -> float:
    """Return the longest length that the file names, m; 0 where no body has joints in two places.

    It is that between two points of a body or of the ground, or that of a lever.
    """
    levers = [
        abs(FLOAT64.number(drive.measure.numbers[0])) ** 0.5
        for drive in description.drives
        if drive.measure.kind == "lever"
    ]
    own = [_spread(one) for one in _locate_points(description, ()).values()]
    if max([*own, *levers]) == 0:
        return 0.0  # points that are measured alone say nothing of the bodies
    return max([*(_spread(one) for one in _locate_points(description).values()), *levers])


def _check_slides(description: Description) -> list[str]:
    """Return limits, homes and guesses of slides that are far longer than the mechanism, but not in another unit."""
    most = FAR_OUT * compute_machine_size(description)
    home, drives = description.home, description.drives
    sliding = {joint.name for joint in description.joints if joint.type == "prismatic"}
    given = {f"home.guess.{name}": values[:1] for name, values in home.guess.items() if name in sliding}
    for index, drive in enumerate(drives):
        if drive.measure.unit == "m":
            given[f"drives.{drive.name}.limits"] = drive.limits or ()
            given[f"home.drives.{drive.name}"] = () if home.by_outputs else home.values[index : index + 1]
    found = []
    for key, values in given.items():
        numbers = [FLOAT64.number(value) for value in values]
        largest = max((abs(number) for number in numbers), default=0.0)
        units = units_within(largest, 0.0, most, LENGTH_UNITS)
        if 0 < most < largest and units:
            shown = (
                f"{numbers[0]:g}" if len(numbers) == 1 else f"[{', '.join(f'{one:g}' for one in numbers)}]"
            )
            found.append(
                f"{key} = {shown}: must be at most {most:.4g} m in either direction{propose_units(units)}"
            )
    return found


def _list_numbers(body: Body, description: Description, points: FloatArray, size: float) -> BodyNumbers:
    mass, first, inertia = compute_central_moments(body)
    center = first / mass if mass > 0 else np.zeros(3)
    reach = max(_spread(points), size if len(points) < 2 else 0.5 * size) if size > 0 else np.inf
    offset = MOST_OFFSET * max(reach, size)
    return BodyNumbers(
        f"bodies.{body.name}",
        mass,
        center,
        float(np.linalg.eigvalsh(inertia)[-1]),
        points.mean(axis=0) if len(points) else np.zeros(3),
        offset,
        LEAST_OFFSET * size,
        _compute_certain_span(body, description.joints),
        reach,
        not body.planar,
        _find_section(description.document, body.name),
        f"within {offset:.4g} m of the middle of its joints",
    )


def _find_section(document: Mapping[str, Any], body: str) -> dict[str, Any]:
    bodies = document.get("bodies", {})
    return bodies.get(body, {}) if isinstance(bodies, Mapping) else {}


def _locate_points(
    description: Description, kinds: tuple[str, ...] = ("length", "position")
) -> dict[str, FloatArray]:
    """Return points of each body and of the ground, (k, 3) in their frames, m: of joints and of kinds of measures."""
    points: dict[str, list[Any]] = {name: [] for name in (GROUND, *(b.name for b in description.bodies))}
    for joint in description.joints:
        for body, position in zip(joint.bodies, joint.place, strict=True):
            points[body].append(FLOAT64.array(position))
    measures = [drive.measure for drive in description.drives]
    for measure in (*measures, *description.outputs, *description.readings):
        if measure.kind in kinds:
            for body, point in zip(measure.bodies, measure.points, strict=True):
                points[body].append(FLOAT64.array(point))
    return {name: np.array(one, dtype=float).reshape(-1, 3) for name, one in points.items()}


def _spread(points: FloatArray) -> float:
    """Return the largest distance between two of the points (k, 3), m."""
    if len(points) < 2:
        return 0.0
    return float(np.linalg.norm(points[:, None] - points[None], axis=2).max())


def _compute_certain_span(body: Body, joints: tuple[Joint, ...]) -> float:
    """Return the largest distance between two joints of a body, m, across their axes: along these they are anywhere."""
    ends = []
    for joint in joints:
        for name, position, axis in zip(joint.bodies, joint.place, joint.axis, strict=True):
            if name == body.name:
                line = FLOAT64.array(axis) if joint.type in _ALONG_AXIS else None
                ends.append((FLOAT64.array(position), line))
    span = 0.0
    for i, (point, one_axis) in enumerate(ends):
        for other, other_axis in ends[:i]:
            apart = other - point
            for along in (one_axis, other_axis):
                if along is not None:
                    unit = along / np.linalg.norm(along)
                    apart = apart - (apart @ unit) * unit
            span = max(span, float(np.linalg.norm(apart)))
    return span


def _place_complaints(description: Description) -> list[str]:
    """Return which joints' places are in another unit than all others."""
    given = [
        (joint.name, float(np.linalg.norm(FLOAT64.array(position))))
        for joint in description.joints
        for position in joint.place
    ]
    far = np.array([distance for _, distance in given])
    if np.count_nonzero(far) < 3:
        return []
    middle = float(np.median(far[far > 0]))
    out = far > FAR_OUT * middle
    if not out.any() or far[out].min() < FARTHER * far[~out].max():
        return []
    found = []
    for (name, distance), is_out in zip(given, out, strict=True):
        if is_out:
            units = units_within(distance, 0.0, FARTHER * middle, LENGTH_UNITS)
            value = description.document["joints"].get(name, {}).get("place")
            found.append(
                f"joints.{name}.place = {show_value(value)}: {distance:.4g} m from the body's origin, "
                f"{distance / middle:.3g} times as far as half of the other joints{propose_units(units)}"
            )
    return found


def check_home_in_limits(description: Description, home: FloatArray) -> None:
    """Refuse limits of drives that home (n,), m or rad, does not keep.

    Raises
    ------
    MachineError
        Names the drive, its coordinate at home, its limits, and the unit in which they fit.
    """
    problems, source = Problems(), description.source
    for drive, value in zip(description.drives, home, strict=True):
        if drive.limits is None:
            continue
        low, high = FLOAT64.array(drive.limits)
        room = 1e-9 * max(1.0, high - low)
        if low - room <= value <= high + room:
            continue
        turns = drive.measure.unit == "rad"
        units = ANGLE_UNITS if turns else LENGTH_UNITS
        of_limits = [name for name, factor in units.items() if factor * low <= value <= factor * high]
        of_home = units_within(value, low, high, units)
        given = description.document.get("drives", {}).get(drive.name, {}).get("limits", [low, high])
        hint = ""
        if of_limits:
            hint = f"; limits in {of_limits[0]}?" + (f" [deg({low:g}), deg({high:g})]" if turns else "")
        elif of_home:
            hint = f"; home in {of_home[0]}?" + (f" deg({value:g})" if turns else "")
        problems.found.append(
            f"{source}: drives.{drive.name}.limits = {show_value(given)}: home is at {value:.6g} {drive.measure.unit}, "
            f"outside [{low:.6g}, {high:.6g}]{hint}"
        )
    problems.refuse(source, MachineError)
