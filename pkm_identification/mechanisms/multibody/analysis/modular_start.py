# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A configuration of a mechanism modulo a prime, from which exact ones are led back to the loops.

Where home's neighbour is made of fractions it is that (a parallelogram has two branches, and only one is meant). Else
batches of random configurations are tried, each loop's own coordinates through and through.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..kernels.closing import read_rows
from ..kernels.codes import BALL, COMBINATION, COORDINATE, COORDINATES, FIXED, KIND, LEVER, PRISMATIC
from ..kinematics import close_drives
from ..mechanism import Mechanism
from ..numbers.arithmetic import Multiprecision
from ..numbers.padic import Padic, Residue, Turn
from ..structure.model import pack_mechanism
from ..structure.tree import loop_frames

# Configurations tried in one go: few are enough for most mechanisms.
_BATCHES = (64, 512, *(4096,) * 60)
_LARGEST_GRID = 300_000
_DIGITS, _SAME, _LARGEST_DENOMINATOR = 60, 1e-40, 10**9
NearHome = list[tuple[Fraction, Fraction]]
_NEAR_HOME = 20  # largest denominator of a fraction near home


def in_field(mechanism: Mechanism, arithmetic: Padic) -> Mechanism:
    """Return a mechanism among p-adic numbers, driven along joints' coordinates: levers between change no rank."""
    drives = mechanism.places["drives"]
    rows = list(mechanism.rows[: drives.stop])
    for k in drives:
        kind = COMBINATION if rows[k].kind == LEVER else rows[k].kind
        rows[k] = replace(rows[k], kind=kind, numbers=())
    model = pack_mechanism(mechanism.description, mechanism.tree, rows, arithmetic)
    ones = [np.ones(len(scale), dtype=object) for scale in (model.row_scale, model.velocity_scale)]
    return replace(
        mechanism,
        arithmetic=arithmetic,
        rows=tuple(rows),
        model=model._replace(row_scale=ones[0], velocity_scale=ones[1]),
    )


def field_of(mechanism: Mechanism) -> Padic:
    """The p-adic numbers a mechanism is in."""
    arithmetic = mechanism.arithmetic
    assert isinstance(arithmetic, Padic)
    return arithmetic


def row_values(mechanism: Mechanism, rows: np.ndarray, q: Any) -> Any:
    """Return values (N, n) of rows at configurations (N, Q)."""
    values = np.empty((len(q), len(rows)), dtype=object)
    if len(rows):
        read_rows.py_func(mechanism.model, rows, q, values, np.zeros((0, 0, 0)))  # type: ignore[attr-defined]
    return values


def coordinates(frame: Any) -> range:
    """Places of a model's frame among the coordinates."""
    first = int(frame[COORDINATE])
    return range(first, first + COORDINATES[int(frame[KIND])])


def is_angle(frame: Any) -> bool:
    """Return whether coordinates of a model's frame are angles."""
    return int(frame[KIND]) not in (FIXED, PRISMATIC, BALL)


def starts(mechanism: Mechanism, prime: int, rng: random.Random, near_home: NearHome | None) -> Iterator[Any]:
    """Configurations modulo p (Q, 2): cosine and sine of angles, others in the first place.

    `near_home` is what `fractions_near_home` found.
    """
    if near_home is not None:
        field = Padic(prime, 1)
        yield np.array([[field.number(value).value for value in pair] for pair in near_home], dtype=np.int64)
        return
    here = in_field(mechanism, Padic(prime, 1))
    for count in _BATCHES:
        yield from _try_configurations(here, count, np.random.default_rng(rng.randrange(2**32)))


def fractions_near_home(mechanism: Mechanism) -> NearHome | None:
    """A configuration near home in fractions (cosine and sine of angles), if the drives' fractions lead to one."""
    if not mechanism.places["loops"]:
        return None
    precise = mechanism.with_digits(_DIGITS)
    arithmetic = precise.arithmetic
    assert isinstance(arithmetic, Multiprecision)
    context = arithmetic.context
    frames = mechanism.model.frame
    angles = {k for frame in frames if is_angle(frame) for k in coordinates(frame)}
    aim = []
    for k in mechanism.places["drives"]:
        factors = np.flatnonzero(mechanism.model.factor[k])
        if len(factors) != 1 or mechanism.rows[k].kind != COMBINATION or any(mechanism.rows[k].numbers):
            return None
        index = int(mechanism.model.velocity[factors[0], 2])
        home = precise.home[index]
        angle = index in angles
        near = Fraction(float(context.tan(home / 2) if angle else home)).limit_denominator(_NEAR_HOME)
        value = arithmetic.number(near)
        aim.append(
            (2 * context.atan(value) if angle else value)
            * arithmetic.same(mechanism.model.factor[k, factors[0]])
        )
    closed = close_drives(precise, np.array([aim], dtype=object))
    if not closed.found.all():
        return None
    fractions = []
    for k, value in enumerate(closed.configuration[0]):
        half = context.tan(value / 2) if k in angles else value
        fraction = Fraction(str(half)).limit_denominator(_LARGEST_DENOMINATOR)
        if abs(half - arithmetic.number(fraction)) > _SAME:
            return None
        down = 1 + fraction * fraction
        pair = ((1 - fraction * fraction) / down, 2 * fraction / down)
        fractions.append(pair if k in angles else (fraction, Fraction(0)))
    return fractions


def _try_configurations(mechanism: Mechanism, count: int, source: np.random.Generator) -> Iterator[Any]:
    """Configurations modulo p that close all loops, out of so many random ones."""
    arithmetic = field_of(mechanism)
    circle = arithmetic.circle
    frames = mechanism.model.frame
    angle = {k: is_angle(frame) for frame in frames for k in coordinates(frame)}
    # of angles, their places on the circle
    reach = {k: len(circle) if angle[k] else arithmetic.prime for k in angle}
    draw = np.stack([source.integers(0, reach[k], count) for k in sorted(angle)], axis=1)
    for frame in frames:
        if int(frame[KIND]) == BALL:
            every = arithmetic.unit_quaternions
            draw[:, list(coordinates(frame))] = every[source.integers(0, len(every), count)]
    for rows, own in _list_loops(mechanism):
        grid = np.array(np.meshgrid(*(np.arange(reach[k]) for k in own), indexing="ij"))
        grid = grid.reshape(len(own), -1) if own else np.zeros((0, 1), dtype=np.int64)
        step = max(1, _LARGEST_GRID // grid.shape[1])
        parts = [draw[begin : begin + step] for begin in range(0, len(draw), step)]
        kept = [_close_loop(mechanism, angle, part, rows, own, grid, source) for part in parts]
        draw = np.concatenate([draw[:0], *kept])
    for row in draw:
        residues = np.zeros((len(row), 2), dtype=np.int64)
        for k in angle:
            residues[k] = circle[row[k]] if angle[k] else (row[k], 0)
        yield residues


def _close_loop(
    mechanism: Mechanism,
    angle: dict[int, bool],
    draw: np.ndarray,
    rows: list[int],
    own: list[int],
    grid: np.ndarray,
    source: np.random.Generator,
) -> np.ndarray:
    """Those of the configurations (N, Q) in which some values `grid` (len(own), G) of `own` close a loop, with them."""
    slides = [k for k in own if not angle[k]][-1:]
    turned = [n for n, k in enumerate(own) if k not in slides]
    # a sliding coordinate enters a loop's rows linearly: two of its values tell what all of them do
    coarse = grid[:, grid[[own.index(k) for k in slides]].sum(axis=0) == 0] if slides else grid
    p = mechanism.arithmetic.prime  # type: ignore[union-attr]
    gaps = [
        _compute_gaps(
            mechanism, angle, draw, rows, {**{own[n]: coarse[n] for n in turned}, **dict.fromkeys(slides, at)}
        )
        for at in range(1 + len(slides))
    ]
    shape = (len(draw), coarse.shape[1])
    closed_rows, slid = [], range(p if slides else 1)
    for at in slid:
        closed = np.ones(shape, dtype=bool)
        for gap, other in zip(gaps[0], gaps[-1], strict=True):
            closed &= (gap + at * (other - gap)) % p == 0
        closed_rows.append(closed)
    every = np.stack(closed_rows, axis=2).reshape(len(draw), -1)
    good = np.flatnonzero(every.any(axis=1))
    # one of the solutions, any
    picked = np.where(every[good], source.random((len(good), every.shape[1])), -1.0).argmax(axis=1)
    chosen = draw[good].copy()
    for n in turned:
        chosen[:, own[n]] = coarse[n, picked // len(slid)]
    for k in slides:
        chosen[:, k] = picked % len(slid)
    return chosen


def _compute_gaps(
    mechanism: Mechanism, angle: dict[int, bool], draw: np.ndarray, rows: list[int], own: dict[int, Any]
) -> list[np.ndarray]:
    """Residuals modulo p of a loop's rows for configurations (N, Q), values (G,) of its own coordinates instead."""
    arithmetic = field_of(mechanism)
    circle = arithmetic.circle
    q = np.empty((1, len(angle)), dtype=object)
    for k in angle:
        index = np.asarray(own[k])[None, ...] if k in own else draw[:, k][:, None]
        q[0, k] = (
            Turn(circle[index, 0], circle[index, 1], arithmetic) if angle[k] else Residue(index, arithmetic)
        )
    return [np.asarray(value.value) for value in row_values(mechanism, np.array(rows), q)[0]]


def _list_loops(mechanism: Mechanism) -> list[tuple[list[int], list[int]]]:
    """Return rows of each loop, and the coordinates that it alone has, at most as many as it can decide."""
    tree, frames = mechanism.tree, mechanism.model.frame
    rows_of: dict[str, list[int]] = {}
    for r in mechanism.places["loops"]:
        rows_of.setdefault(mechanism.rows[r].joint, []).append(r)
    passed = {joint.name: loop_frames(tree, joint) for joint in tree.cut}
    loops = []
    for name, rows in rows_of.items():
        others = set().union(*(way for other, way in passed.items() if other != name))
        own = [
            k
            for f in sorted(passed[name] - others)
            if int(frames[f][KIND]) != BALL
            for k in coordinates(frames[f])
        ]
        loops.append((rows, own[-len(rows) :]))
    # what costs least comes first
    return sorted(loops, key=lambda loop: len(loop[1]))
