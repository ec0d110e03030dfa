# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A mechanism whose file has identified values: bodies nearest to the file's, friction, what turns with the drives."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from pkm_identification.errors import MachineError, NotConverged
from pkm_identification.estimation.consistency.nearest_bodies import (
    find_likeliest_bodies,
    find_nearest_bodies,
    keep_bodies_of_nothing,
)
from pkm_identification.numerics.arrays import FloatArray

from ..friction import Friction
from ..known_statements import keep_known
from ..rigid_bodies import parallel_axes
from .base_set import BaseSet
from .description.records import Body
from .mechanism import Mechanism
from .numbers.arithmetic import FLOAT64
from .parameters import build_rigid_basis

_NOTHING = 1e-30  # SI units: below what any body has; a file takes exponents to 60
_NO_BODY = 1e-9  # of the largest parameter: what is left of a body that is nothing in the file
_UNCHANGED = 1e-12  # relative: a number of the file that is kept as it is written


def identified_mechanism(
    mechanism: Mechanism,
    base: BaseSet,
    bodies: FloatArray,
    friction: Friction,
    added_inertia: FloatArray,
    joint_friction: Mapping[str, Mapping[str, float]],
    covariance: FloatArray | None = None,
) -> Mechanism:
    """Return the mechanism whose file has these values; its driven forces are theirs.

    Forces know the bodies' parameters by sums alone. The file gets the bodies nearest to its own that have these sums;
    where those are no bodies that can be, the nearest that can; and where none has these sums, those whose sums differ
    least in the deviations of the values, if they are given. A body that is nothing in the file stays so unless the
    values contradict it by more than chance.

    Parameters
    ----------
    mechanism : Mechanism
    base : BaseSet
        Its base parameters.
    bodies : ndarray, shape (P,)
        Parameters of all bodies with the forces in question, whether such bodies can be or not; SI units.
    friction : Friction
        Of the drives; coefficients that would drive a machine become the nearest that do not.
    added_inertia : ndarray, shape (n,)
        In addition to the drives' own in the file, kg or kg m^2.
    joint_friction : mapping of str to mapping of {'viscous', 'coulomb'} to float
        Of passive joints, by their names.
    covariance : ndarray, shape (P, P), optional
        Of `bodies`.

    Raises
    ------
    MachineError
        If no rigid bodies are found, or the file that results is none.
    """
    document = copy.deepcopy(mechanism.description.file)
    if "bodies" not in document:
        raise MachineError(f"machine '{mechanism.name}': its file has no bodies that values could go into")
    name = document["name"] = f"{mechanism.name}_identified"
    own = mechanism.description.friction
    coefficients = friction.law.possible(friction.coefficients)
    if np.any(coefficients) or own.acts:
        rows = {key: _format_numbers(row) for key, row in friction.named(coefficients).items()}
        document["friction"] = {**document.get("friction", {}), **rows}
        if friction.law is not own.law or not np.array_equal(friction.parameters, own.parameters):
            document["friction"] |= {"law": friction.law.name, **_format_law(friction)}
    for drive, added in zip(mechanism.description.drives, added_inertia, strict=True):
        section = document["drives"][drive.name]
        if abs(added) > _UNCHANGED * abs(FLOAT64.number(drive.inertia)):
            section["inertia"] = f"({section.get('inertia', '0')})+({float(added)!r})"
    for joint, named in joint_friction.items():
        rubbing = {key: repr(max(0.0, float(value))) for key, value in named.items()}
        document["joints"][joint]["friction"] = rubbing
    nominal = build_rigid_basis(mechanism).nominal
    planar = [body.planar for body in mechanism.description.bodies]
    sums, values = base.sums, base.sums @ bodies
    spread: FloatArray | None = None
    if covariance is not None:
        spread = sums @ covariance @ sums.T
        sums, values, spread = keep_bodies_of_nothing(sums, values, spread, nominal, planar)
    found: list[FloatArray] = []
    for attempt in _iterate_attempts(sums, values, spread, nominal, planar):
        try:
            found.append(attempt())
            return _insert_bodies(mechanism, document, found[-1], name)
        except (MachineError, NotConverged) as error:
            problem = error
    for one in found:  # bodies of odd sizes, rather than none
        try:
            return _insert_bodies(mechanism, document, one, name, plausible=False)
        except MachineError as error:
            problem = error
    raise MachineError(f"machine '{mechanism.name}': the identified values: {problem}")


def _iterate_attempts(
    sums: FloatArray,
    values: FloatArray,
    covariance: FloatArray | None,
    nominal: FloatArray,
    planar: list[bool],
) -> Iterator[Callable[[], FloatArray]]:
    """Yield ways to bodies with these sums, the most faithful first."""
    yield lambda: find_nearest_bodies(sums, values, nominal, planar)
    yield lambda: find_nearest_bodies(sums, values, nominal, planar, physical=True)
    if covariance is not None:
        yield lambda: find_likeliest_bodies(sums, values, covariance, nominal, planar)


def _insert_bodies(
    mechanism: Mechanism, document: dict[str, Any], values: FloatArray, name: str, plausible: bool = True
) -> Mechanism:
    parts = np.split(
        values, np.cumsum([4 if one.planar else 10 for one in mechanism.description.bodies])[:-1]
    )
    nominal = np.split(build_rigid_basis(mechanism).nominal, np.cumsum([len(part) for part in parts])[:-1])
    sections = dict(document["bodies"])
    for body, part, before in zip(mechanism.description.bodies, parts, nominal, strict=True):
        least = _UNCHANGED if np.any(before) else _NO_BODY
        if np.abs(part - before).max() > least * max(np.abs(before).max(), np.abs(values).max()):
            kept = {key: one for key, one in sections[body.name].items() if key == "planar"}
            sections[body.name] = keep_known(sections[body.name], {**kept, **_write_section(body, part)})
    return Mechanism.from_document({**document, "bodies": sections}, name, plausible)


def _write_section(body: Body, part: FloatArray) -> dict[str, Any]:
    """Return what a file says of a body with these parameters about its frame's origin."""
    mass = float(part[0])
    if not mass > 0.0:
        return {"parameters": _format_numbers(part)}
    if body.planar:
        center = part[1:3] / mass
        return {
            "mass": repr(mass),
            "center_of_mass": [*_format_numbers(center), "0"],
            "inertia": _format_numbers(part[3:] - mass * center @ center),
        }
    center = part[1:4] / mass
    inertia = np.diag(part[4:7])
    inertia[[0, 0, 1], [1, 2, 2]] = inertia[[1, 2, 2], [0, 0, 1]] = part[7:10]
    inertia -= parallel_axes(mass, center)
    return {
        "mass": repr(mass),
        "center_of_mass": _format_numbers(center),
        "inertia": _format_numbers(inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]),
    }


def _format_law(friction: Friction) -> dict[str, str | list[str]]:
    """Return the numbers of a friction law as a file has them: of all drives, or a list where they differ."""
    numbers: dict[str, str | list[str]] = {}
    for one, values in zip(friction.law.parameters, friction.parameters, strict=True):
        rows = _format_numbers(np.maximum(values, one.at_least))
        numbers[one.name] = rows[0] if len(set(rows)) == 1 else rows
    return numbers


def _format_numbers(values: Iterable[float]) -> list[str]:
    """Return numbers as a file has them: read again they are the same doubles."""
    return [repr(float(value)) if abs(value) > _NOTHING else "0" for value in values]
