# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The rules of inertia transfer on a joint graph: which multipoles do nothing, and which do the same in two bodies.

With v_P and w of a body, its Lagrangian is m (v_P^2 / 2 + g.r_P) + d.(v_P x w + g) + w.I w / 2. A multipole fixed in
the body vanishes by one of six conditions (Ros et al., as Iriarte et al. 2017 use them):

1. a monopole at a point at rest;
2. a dipole along w, of which the direction is fixed;
3. a dipole along v_P that keeps its height;
4. any dipole where v_P or w is zero and gravity's part constant;
5. moments and products across w, of which the direction is fixed in the body; that of a direction across every w alone;
6. any quadrupole where w is zero.

It is transferred from one body to another by one of six:

1. a monopole at a common point;
2. a dipole along the difference of the angular velocities, at a common point;
3. a dipole along v_P, the same in both bodies (then it is 2. or 4. and never needed);
4. any dipole at a common point of bodies that turn alike;
5. a quadrupole along the difference of the angular velocities;
6. any quadrupole of bodies that turn alike.

For a transfer it is enough that points have the same velocity. The conditions suffice: what a machine has as well, no
rule finds, and the count is then too high by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ...description.records import Description
from ...numbers.exact import Exact, ExactVector, cross_product
from .facts import Facts
from .geometry import Geometry
from .graph import GROUND_BODY, JointGraph
from .multipoles import DIPOLE, MONOPOLE, QUADRUPOLE, Ten, dipole, inertia, monopole, quadrupole

Way = Callable[[Geometry], Sequence[Exact]]
Parts = Callable[[Geometry], list[tuple[int, int, Ten]]]


@dataclass(frozen=True)
class Step:
    """A multipole that can be added to the bodies without any effect on the forces.

    Attributes
    ----------
    condition : int
        1 to 6.
    kind : str
        MONOPOLE, DIPOLE or QUADRUPOLE.
    giver : int
        The body whose parameter is to be given up.
    taker : int or None
        The body that has the same multipole, GROUND_BODY if it is a mass that the ground lends; None where it vanishes.
    joint : str
        Where bodies are joined; empty where they are not.
    parts : callable
        Of a geometry: bodies, signs and ten parameters each.
    place : callable or None
        Of a geometry: the point of the giver, for people.
    along : callable or None
        Of a geometry: the direction in the giver, for people.
    """

    condition: int
    kind: str
    giver: int
    taker: int | None
    joint: str
    parts: Parts = field(repr=False)
    place: Way | None = field(default=None, repr=False)
    along: Way | None = field(default=None, repr=False)


def steps(description: Description, facts: Facts) -> Iterator[Step]:
    """All that the rules find, in the order of the text: what vanishes, then transfers from the outermost bodies on."""
    graph = JointGraph(description, facts)
    bodies = range(1, len(graph.names))
    for b in bodies:
        yield from _list_vanishing(facts, b, lends=b in graph.givers)
    joined = graph.concatenate()
    apart = [(j, i) for i in bodies for j in range(i + 1, len(graph.names))]
    # complete tensors, then masses over balls, hinges, what the ground lends, and what bodies share that no joint joins
    for joint, giver, taker in (*joined, *(("", *pair) for pair in apart)):
        if facts.same_turning(giver, taker):
            yield from _turn_together(facts, joint, giver, taker)
    for joint, giver, taker in joined:
        if joint in graph.points and not facts.same_turning(giver, taker):
            yield from _share_common_point(facts, joint, giver, taker)
    for b in bodies:
        if b in graph.givers:
            for joint, point in graph.resting(b):
                yield _move_mass(b, GROUND_BODY, (point, None), joint)
    for giver, taker in apart:
        yield from _share_common_point(facts, "", giver, taker)


def _list_vanishing(facts: Facts, b: int, lends: bool) -> Iterator[Step]:
    points, ways = (
        range(len(facts.geometry.points[b])),
        range(len(facts.geometry.directions[b])),
    )
    resting = [k for k in points if facts.at_rest(b, k)]
    if not facts.turns(b):
        yield from _move_tensors(6, b, None, "", _list_triads(_share_axis(b, 0), _share_axis(b, 1)))
        for k in range(3):
            yield _move_dipole(4, b, None, "", (0, None), (_share_axis(b, k), None))
    else:
        fixed = [k for k in ways if facts.fixed_in_space(b, k)]
        for k in fixed[:1]:
            yield from _move_across(b, k)
            yield _move_dipole(2, b, None, "", (0, None), (_share_axis(b, k), None))
        if resting and (facts.weightless or (fixed and facts.upright(b, fixed[0]))):
            for k in range(3):
                yield _move_dipole(4, b, None, "", (resting[0], None), (_share_axis(b, k), None))
        for k in ways:
            if not fixed and facts.never_turned_about(b, k):
                yield from _move_moment(b, k)
        for k in points:
            for way in ways:
                if facts.moves_along(b, k, way) and facts.keeps_height(b, way):
                    yield _move_dipole(3, b, None, "", (k, None), (_share_axis(b, way), None))
    if not lends:
        for k in resting:
            yield _move_mass(b, None, (k, None), "")


def _turn_together(facts: Facts, joint: str, giver: int, taker: int) -> Iterator[Step]:
    """Bodies that turn alike: any quadrupole, and any dipole where they have a point in common."""
    shared = facts.shared_directions(giver, taker)
    pair = _move_two_across(facts, giver, shared)
    if pair is None:
        return
    (one, own, first), (other, its, second) = pair
    yield from _move_tensors(
        6,
        giver,
        taker,
        joint,
        _list_triads(_share_axis(giver, one), _share_axis(giver, other)),
        _list_triads(_share_axis(taker, own, first), _share_axis(taker, its, second)),
    )
    for point in facts.shared_points(giver, taker)[:1]:
        yield _move_mass(giver, taker, point, joint)
        near = _move_three(_share_axis(giver, one), _share_axis(giver, other))
        far = _move_three(_share_axis(taker, own, first), _share_axis(taker, its, second))
        for here, there in zip(near, far, strict=True):
            yield _move_dipole(4, giver, taker, joint, point, (here, there))


def _share_common_point(facts: Facts, joint: str, giver: int, taker: int) -> Iterator[Step]:
    """Bodies with a point in common, and what a direction in common adds; a direction alone: a quadrupole."""
    points = facts.shared_points(giver, taker)
    shared = facts.shared_directions(giver, taker)[:1]
    for point in points if not joint else points[:1]:
        yield _move_mass(giver, taker, point, joint)
        for one, other, sign in shared:
            yield _move_dipole(
                2, giver, taker, joint, point, (_share_axis(giver, one), _share_axis(taker, other, sign))
            )
    for one, other, sign in shared:
        here, there = _share_axis(giver, one), _share_axis(taker, other, sign)

        def parts(g: Geometry, here: Way = here, there: Way = there) -> list[tuple[int, int, Ten]]:
            return [(giver, 1, quadrupole(here(g))), (taker, -1, quadrupole(there(g)))]

        yield Step(5, QUADRUPOLE, giver, taker, joint, parts, None, here)


def _move_mass(giver: int, taker: int | None, point: tuple[int, int | None], joint: str) -> Step:
    here, there = point

    def parts(g: Geometry) -> list[tuple[int, int, Ten]]:
        own = [(giver, 1, monopole(g.points[giver][here]))]
        if taker is None or taker == GROUND_BODY or there is None:
            return own
        return [*own, (taker, -1, monopole(g.points[taker][there]))]

    return Step(1, MONOPOLE, giver, taker, joint, parts, lambda g: g.points[giver][here])


def _move_dipole(
    condition: int,
    giver: int,
    taker: int | None,
    joint: str,
    point: tuple[int, int | None],
    ways: tuple[Way, Way | None],
) -> Step:
    (here, there), (near, far) = point, ways

    def parts(g: Geometry) -> list[tuple[int, int, Ten]]:
        own = [(giver, 1, dipole(g.points[giver][here], near(g)))]
        if taker is None or there is None or far is None:
            return own
        return [*own, (taker, -1, dipole(g.points[taker][there], far(g)))]

    return Step(condition, DIPOLE, giver, taker, joint, parts, lambda g: g.points[giver][here], near)


def _move_tensors(
    condition: int,
    giver: int,
    taker: int | None,
    joint: str,
    own: list[tuple[Way, Way]],
    other: list[tuple[Way, Way]] | None = None,
) -> Iterator[Step]:
    """Yield a step for each pair of directions of the giver, with the same pair of the taker's."""
    for k, (e, f) in enumerate(own):
        far = other[k] if other is not None else None

        def parts(
            g: Geometry, e: Way = e, f: Way = f, far: tuple[Way, Way] | None = far
        ) -> list[tuple[int, int, Ten]]:
            terms = [(giver, 1, inertia(e(g), f(g)))]
            if taker is not None and far is not None:
                terms.append((taker, -1, inertia(far[0](g), far[1](g))))
            return terms

        yield Step(condition, QUADRUPOLE, giver, taker, joint, parts)


def _move_across(b: int, way: int) -> Iterator[Step]:
    """Moments and products but that about a direction."""
    axis = _share_axis(b, way)
    across = _find_direction_across(b, way)
    third = _cross_axes(axis, across)
    pairs = [(across, across), (third, third), (across, third), (axis, across), (axis, third)]
    yield from _move_tensors(5, b, None, "", pairs)


def _move_moment(b: int, way: int) -> Iterator[Step]:
    axis = _share_axis(b, way)
    yield from _move_tensors(5, b, None, "", [(axis, axis)])


def _share_axis(b: int, way: int, sign: int = 1) -> Way:
    return lambda g: tuple(sign * x for x in g.directions[b][way])


def _cross_axes(one: Way, other: Way) -> Way:
    return lambda g: cross_product(one(g), other(g))


def _find_direction_across(b: int, way: int) -> Way:
    """Return a direction across one of a body's: a product with that one of its axes that is least along it."""

    def across(g: Geometry) -> ExactVector:
        axis = g.directions[b][way]
        zeros = [k for k in range(3) if axis[k] == 0]
        return cross_product(axis, g.directions[b][zeros[0] if zeros else 0])

    return across


def _move_three(one: Way, other: Way) -> list[Way]:
    return [one, other, _cross_axes(one, other)]


def _list_triads(one: Way, other: Way) -> list[tuple[Way, Way]]:
    a, b, c = _move_three(one, other)
    return [(a, a), (b, b), (c, c), (a, b), (a, c), (b, c)]


def _move_two_across(
    facts: Facts, b: int, shared: list[tuple[int, int, int]]
) -> tuple[tuple[int, int, int], tuple[int, int, int]] | None:
    """Two shared directions that are not parallel; axes of the body come first."""
    for n, one in enumerate(shared):
        for other in shared[n + 1 :]:
            ways = facts.geometry.directions[b]
            product = cross_product(ways[one[0]], ways[other[0]])
            if any(facts.arithmetic.number(x) != 0 for x in product):
                return one, other
    return None
