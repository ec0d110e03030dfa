# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The 3PRS table with vertical guides at (H, 0), (0, H) and (-H, 0) (the paper on it, integrals of A.12-A.17).

With the platform's rotation R_y(theta) R_x(psi), its joints at radius r and bars of length L,

    x_p = -r sin psi sin theta ,   y_p = 0 ,
    cos gamma_1 = (H - x_p - r cos theta) / L ,   cos gamma_2 = (H - r cos psi) / L ,
    cos gamma_3 = (H + x_p - r cos theta) / L ,
    rho_1 = z - r sin theta - L sin gamma_1 ,     rho_2 = z + r sin psi cos theta - L sin gamma_2 ,
    rho_3 = z + r sin theta - L sin gamma_3 .

Out of reach where |cos gamma_i| > 1; bars point upwards (sin gamma_i > 0).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.rotation import fill_quaternion

from ..description.records import Description
from ..kernels.codes import BALL, COORDINATE, PRISMATIC, REVOLUTE, STATE
from ..kernels.frames import place_frames
from ..kernels.vectors import column, dot
from ..numbers.arithmetic import FLOAT64, Arithmetic, angle_of, cosine, shared, sine
from ..structure.model import Model
from ..structure.tree import Frame, Tree


class Table(NamedTuple):
    """Radius of the platform's joints, length of the bars and distance of the guides, m."""

    radius: Any
    bar: Any
    guides: Any


_NUMBERS = Table._fields
_fill_quaternion = shared(fill_quaternion.py_func)  # type: ignore[attr-defined]


def prs_table(
    description: Description, tree: Tree
) -> Callable[[Arithmetic, Model, Any, Any], tuple[Any, list[str]]]:
    """What gives coordinates (N, Q) of outputs z, psi, theta (N, 3), home's where a bar does not reach; and which bar.

    Raises
    ------
    MachineError
        If the mechanism is no such table.
    """
    slides, hinges, ball = _locate_guides(description, tree)
    form = description.closed_form
    assert form is not None
    exact_numbers = [form.numbers[name] for name in _NUMBERS]

    def coordinates(arithmetic: Arithmetic, model: Model, home: Any, outputs: Any) -> tuple[Any, list[str]]:
        q = arithmetic.zeros(len(outputs), tree.coordinates)
        cosines = arithmetic.zeros(len(outputs), 3)
        table = Table(*arithmetic.array(exact_numbers))
        arithmetic.compile(_close)(model, slides, hinges, ball, table, home, outputs, q, cosines)
        refused = [""] * len(outputs)
        for n, i in np.argwhere(~(np.abs(np.array(cosines, dtype=float)) <= 1.0)):
            refused[n] = refused[n] or (
                f"bar {i + 1} does not reach: |cos gamma_{i + 1}| = {abs(float(cosines[n, i])):.4g}"
            )
        return q, refused

    return coordinates


def _locate_guides(description: Description, tree: Tree) -> tuple[np.ndarray, np.ndarray, int]:
    """Return coordinates of the three guides and bars, and the frame of the ball that carries the platform."""
    frames, form = tree.frames, description.closed_form
    measured = [list(drive.measure.joints) for drive in description.drives]
    slides = [tree.joint_frames[names[0]][0] for names in measured if len(names) == 1]
    balls = [f for f in range(len(frames)) if frames[f].kind == BALL]
    hinges = {
        _find_carrier(frames, f, slides): frames[f].coordinate
        for f in range(len(frames))
        if frames[f].kind == REVOLUTE
    }
    if (
        form is None
        or sorted(form.numbers) != sorted(_NUMBERS)
        or FLOAT64.number(form.numbers["bar"]) <= 0
        or [frames[f].kind for f in slides] != [PRISMATIC] * 3
        or sorted(hinges) != sorted(slides)
        or len(balls) != 1
        or len(description.outputs) != 3
    ):
        raise MachineError(
            f"{description.source}: closed_form prs_table: needs {', '.join(_NUMBERS)} (a bar longer than 0), three "
            "driven guides, a hinged bar on each, spherical joints on one platform and the outputs z, psi, theta"
        )
    return (
        np.array([frames[f].coordinate for f in slides]),
        np.array([hinges[f] for f in slides]),
        balls[0],
    )


def _find_carrier(frames: Sequence[Frame], f: int, wanted: list[int]) -> int:
    """Return the one of some frames that carries a frame; -1 if none does."""
    while f >= 0 and f not in wanted:
        f = frames[f].parent
    return f


@kernel
def _close(model, slides, hinges, ball, table, home, outputs, q, cosines):
    """Write coordinates and bar angles' cosines of outputs."""
    r, l, h = table.radius, table.bar, table.guides
    state = np.zeros((model.frame.shape[0], STATE, 3), dtype=q.dtype)
    axes = np.zeros((model.velocity.shape[0], 3), dtype=q.dtype)
    relative = np.zeros((3, 3), dtype=q.dtype)
    one = home[0] * 0 + 1
    k = model.frame[ball, COORDINATE]
    for n in range(outputs.shape[0]):
        for i in range(home.shape[0]):
            q[n, i] = home[i]
        z = outputs[n, 0]
        c_psi, s_psi = cosine(outputs[n, 1]), sine(outputs[n, 1])
        c_theta, s_theta = cosine(outputs[n, 2]), sine(outputs[n, 2])
        x = -r * s_psi * s_theta
        across = ((h - x - r * c_theta) / l, (h - r * c_psi) / l, (h + x - r * c_theta) / l)
        heights = (z - r * s_theta, z + r * s_psi * c_theta, z + r * s_theta)
        reached = True
        for i in range(3):
            cosines[n, i] = across[i]
            reached = reached and abs(across[i]) <= 1
        if not reached:
            continue
        for i in range(3):
            up = (one - across[i] * across[i]) ** 0.5
            q[n, slides[i]] = heights[i] - l * up
            q[n, hinges[i]] = angle_of(up, across[i])
        q[n, k] = q[n, k + 1] = q[n, k + 2] = one * 0
        q[n, k + 3] = one
        place_frames(model, q[n], state, axes)
        # columns of R_y(theta) R_x(psi), seen from the frame the ball is in
        wanted = (
            (c_theta, one * 0, -s_theta),
            (s_theta * s_psi, c_psi, c_theta * s_psi),
            (s_theta * c_psi, -s_psi, c_theta * c_psi),
        )
        for i in range(3):
            for j in range(3):
                relative[i, j] = dot(column(state, ball, i), wanted[j])
        _fill_quaternion(relative, q[n, k : k + 4])
