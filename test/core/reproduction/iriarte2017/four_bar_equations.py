# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Regressors of planar four-bars in mpmath from their own equations: nothing of the package is used.

Three bodies with mass, first moments and moment about their origins: crank at its ground pivot, coupler at the crank's
tip with x to the rocker, rocker at its ground pivot with x to the coupler. One row a sample, of the crank's torque.
"""

from __future__ import annotations

from itertools import pairwise

import mpmath as mp


def regressor(lengths, amplitude, samples=40):
    """Rows of m, mx, my, J of crank, coupler and rocker at q = 1.2 + A (sin w t + .6 cos 2 w t), w = 2 pi / s."""
    crank, coupler, rocker, ground = map(mp.mpf, lengths)

    def turn(t):
        w = 2 * mp.pi
        return mp.mpf("1.2") + mp.mpf(amplitude) * (mp.sin(w * t) + mp.mpf("0.6") * mp.cos(2 * w * t))

    def angles(q):
        tip = crank * mp.expj(q)
        across = ground - tip
        size = abs(across)
        inner = mp.acos((coupler**2 + size**2 - rocker**2) / (2 * coupler * size))
        second = mp.arg(across) + inner
        return q, second, mp.arg(tip + coupler * mp.expj(second) - ground)

    rows = []
    for k in range(samples):
        t = mp.mpf(k) / samples
        q, speed, pull = turn(t), mp.diff(turn, t), mp.diff(turn, t, 2)
        ratio, bend = ([mp.diff(lambda q, i=i: angles(q)[i], q, n) for i in range(3)] for n in (1, 2))
        rate = [one * speed for one in ratio]
        second = [a * pull + b * speed**2 for a, b in zip(ratio, bend, strict=True)]
        row = []
        for body, angle in enumerate(angles(q)):
            # acceleration of the origin less gravity, and its rate per crank's rate
            origin, moved = mp.j * mp.mpf("9.81"), mp.mpc(0)
            if body == 1:
                moved = crank * mp.j * mp.expj(q)
                origin += crank * mp.expj(q) * (mp.j * second[0] - rate[0] ** 2)
            row.append(mp.re(mp.conj(moved) * origin))
            for unit in (mp.mpf(1), mp.j):
                arm = unit * mp.expj(angle)
                force = arm * (mp.j * second[body] - rate[body] ** 2)
                row.append(mp.re(mp.conj(moved) * force) + ratio[body] * mp.im(mp.conj(arm) * origin))
            row.append(ratio[body] * second[body])
        rows.append(row)
    return mp.matrix(rows)


def count_kept(lengths, amplitude, digits=40):
    """Rank by the ridge of the singular values."""
    with mp.workdps(digits):
        sizes = sorted(map(abs, mp.svd_r(regressor(lengths, amplitude), compute_uv=False)), reverse=True)
        floor = mp.mpf(10) ** -(0.75 * digits)
        steps = [mp.log10((a + floor) / (b + floor)) for a, b in pairwise(sizes)]
        ridge = max(range(len(steps)), key=steps.__getitem__)
        assert steps[ridge] > 6
        return ridge + 1
