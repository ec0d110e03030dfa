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

from typing import Any

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.numerics.compiled import kernel

from ..kernels.codes import BALL, REVOLUTE
from ..kernels.frames import place_frames
from ..kernels.layout import COORDINATE, STATE
from ..kernels.vectors import column, dot
from ..mechanism import Mechanism
from ..numbers.arithmetic import angle_of, cosine, shared, sine

_NUMBERS = ("radius", "bar", "guides")


def prs_table(mechanism: Mechanism, outputs: Any) -> tuple[Any, list[str]]:
    """Coordinates (N, Q) of outputs z, psi, theta (N, 3), home's where a bar does not reach; and which bar that is.

    Raises
    ------
    MachineError
        If the mechanism is no such table.
    """
    slides, hinges, ball = _places(mechanism)
    form = mechanism.description.closed_form
    assert form is not None
    numbers = mechanism.arithmetic.array([form.numbers[name] for name in _NUMBERS])
    q = mechanism.arithmetic.zeros(len(outputs), mechanism.tree.coordinates)
    cosines = mechanism.arithmetic.zeros(len(outputs), 3)
    mechanism.arithmetic.compiled(_close)(
        mechanism.model, slides, hinges, ball, numbers, mechanism.home, outputs, q, cosines
    )
    refused = [""] * len(outputs)
    for n, i in np.argwhere(~(np.abs(np.array(cosines, dtype=float)) <= 1.0)):
        refused[n] = (
            refused[n] or f"bar {i + 1} does not reach: |cos gamma_{i + 1}| = {abs(float(cosines[n, i])):.4g}"
        )
    return q, refused


def _places(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, int]:
    """Coordinates of the three guides and bars, and the frame of the ball that carries the platform."""
    frames, tree = mechanism.tree.frames, mechanism.tree
    form = mechanism.description.closed_form
    slides = [next(iter(drive.measure.joints), "") for drive in mechanism.description.drives]
    hinges = [f for f in range(len(frames)) if frames[f].kind == REVOLUTE]
    balls = [f for f in range(len(frames)) if frames[f].kind == BALL]
    known = form is not None and sorted(form.numbers) == sorted(_NUMBERS)
    if (
        not known
        or len(slides) != 3
        or len(hinges) != 3
        or len(balls) != 1
        or len(mechanism.places["outputs"]) != 3
    ):
        raise MachineError(
            f"{mechanism.description.source}: closed_form prs_table: needs {', '.join(_NUMBERS)}, three driven guides, "
            "three hinged bars, spherical joints on one platform and the outputs z, psi, theta"
        )
    slide_frames = [tree.joint_frames[name][0] for name in slides]
    order = {_above(frames, f, slide_frames): frames[f].coordinate for f in hinges}
    return (
        np.array([frames[f].coordinate for f in slide_frames]),
        np.array([order[f] for f in slide_frames]),
        balls[0],
    )


def _above(frames, f: int, wanted: list[int]) -> int:
    """The one of some frames that carries a frame."""
    while f not in wanted:
        f = frames[f].parent
    return f


@kernel
def _close(model, slides, hinges, ball, numbers, home, outputs, q, cosines):
    """Write coordinates and bar angles' cosines of outputs."""
    r, l, h = numbers[0], numbers[1], numbers[2]
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
        _write_quaternion(relative, q[n], k)


@shared
def _write_quaternion(m, q, k):
    """Write the quaternion x, y, z, w of a rotation, by its largest component (Shepperd)."""
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    largest, best = 3, trace
    for i in range(3):
        if m[i, i] > best:
            largest, best = i, m[i, i]
    if largest == 3:
        size = (1 + trace) ** 0.5
        q[k + 3] = size / 2
        q[k] = (m[2, 1] - m[1, 2]) / (2 * size)
        q[k + 1] = (m[0, 2] - m[2, 0]) / (2 * size)
        q[k + 2] = (m[1, 0] - m[0, 1]) / (2 * size)
        return
    i, j, l = largest, (largest + 1) % 3, (largest + 2) % 3
    size = (1 + 2 * m[i, i] - trace) ** 0.5
    q[k + i] = size / 2
    q[k + j] = (m[j, i] + m[i, j]) / (2 * size)
    q[k + l] = (m[l, i] + m[i, l]) / (2 * size)
    q[k + 3] = (m[l, j] - m[j, l]) / (2 * size)
