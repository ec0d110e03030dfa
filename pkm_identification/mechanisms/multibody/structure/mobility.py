# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How a joint graph moves: its home closed, degrees of freedom, redundant constraints, change-points; in float64."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pkm_identification.errors import MachineError
from pkm_identification.numerics.arrays import FloatArray

from ..description.records import Description
from ..kernels.closing import advance, read_rows
from ..kernels.codes import COMBINATION, ORIGIN, POINT, VELOCITIES
from ..numbers.arithmetic import FLOAT64
from .assembly import (
    NEAR_GUESS,
    compute_unguessed_velocities,
    farthest,
    guess_distances,
    guess_start,
    random_starts,
)
from .model import Model
from .rows import Row
from .tasks import check_counts, check_tasks
from .tree import Tree

RANK = 1e-9  # singular values below this, relative to the largest of rows of length one, count as zero
_CLOSED = 1e-10
_OPEN = 1e-6  # m or rad: a gap that no start closed
_STEPS = 200
_HELD = 1e3  # weight of drives or outputs against loops, to see how far the loops stay open
_NEARBY = (0.02, 0.05)  # m or rad away from home, where the rank is that of a general configuration


@dataclass(frozen=True)
class Mobility:
    """What the loops leave of a tree's freedom.

    Attributes
    ----------
    home : ndarray, shape (Q,)
    independent : tuple of int
        Constraint rows that are needed.
    redundant : tuple of int
        Constraint rows that the others imply.
    degrees_of_freedom : int
    """

    home: FloatArray
    independent: tuple[int, ...]
    redundant: tuple[int, ...]
    degrees_of_freedom: int


def mobility(
    description: Description, tree: Tree, model: Model, rows: list[Row], tasks: dict[str, list[int]]
) -> Mobility:
    """Close the loops at home and count what is left.

    Parameters
    ----------
    description : Description
    tree : Tree
    model : Model
        In float64.
    rows : list of Row
    tasks : dict of str to list of int
        Rows of the `loops`, `drives` and `outputs`.

    Raises
    ------
    MachineError
        If a loop cannot close at home (its gap in m), home is out of reach or at a change-point, or the drives or
        outputs do not fit the degrees of freedom.
    """
    loops = np.array(tasks["loops"], dtype=np.int64)
    home, unmet = _close_home(description, tree, model, rows, tasks)
    jacobian = _compute_jacobian(model, loops, home)
    here = _rank(jacobian)
    general, elsewhere = _compute_general_rank(model, loops, home, jacobian)
    if here < general:
        raise MachineError(
            f"{description.source}: home is at a change-point: there the loops leave {tree.velocities - here} degrees "
            f"of freedom, nearby {tree.velocities - general}; choose another home"
        )
    independent = _select_independent_rows(elsewhere, general)
    freedom = tree.velocities - general
    result = Mobility(
        home,
        tuple(int(loops[i]) for i in independent),
        tuple(int(loops[i]) for i in range(len(loops)) if i not in independent),
        freedom,
    )

    def compute_motion(kind: str) -> FloatArray:
        free = free_directions(model, result, home)
        return _compute_jacobian(model, np.array(tasks[kind], dtype=np.int64), home) @ free

    check_counts(
        description,
        freedom,
        lambda: _find_undriven_joints(tree, model, tasks, home),
        lambda: compute_motion("drives"),
    )
    if unmet:
        raise MachineError(unmet)
    check_tasks(description, {kind: compute_motion(kind) for kind in ("drives", "outputs")})
    return result


def move_home(
    known: Mobility, description: Description, model: Model, tasks: dict[str, list[int]]
) -> Mobility | None:
    """Return the mobility of a mechanism that differs by little from one with a known one; None: that may be another.

    Redundant constraints seldom stay so.
    """
    if known.redundant:
        return None
    both, aims, scale = _list_aims(description, model, tasks)
    home = _fit(model, both, aims, known.home)
    if np.abs(read_values(model, both, home) - aims).max(initial=0.0) > scale:
        return None
    return replace(known, home=home)


def _list_aims(
    description: Description, model: Model, tasks: dict[str, list[int]]
) -> tuple[np.ndarray, FloatArray, float]:
    """Return the rows that decide home, their values there, and up to which error they count as met."""
    loops = np.array(tasks["loops"], dtype=np.int64)
    wanted = np.array(tasks["outputs" if description.home.by_outputs else "drives"], dtype=np.int64)
    aims = np.concatenate([np.zeros(len(loops)), FLOAT64.array(description.home.values)])
    scale = _CLOSED * max(1.0, float(np.abs(model.placement[:, ORIGIN]).max()))
    return np.concatenate([loops, wanted]), aims, scale


def _close_home(
    description: Description, tree: Tree, model: Model, rows: list[Row], tasks: dict[str, list[int]]
) -> tuple[FloatArray, str]:
    """Coordinates with all loops closed, and what is wrong if drives or outputs are not where the file wants them."""
    loops = np.array(tasks["loops"], dtype=np.int64)
    wanted = np.array(tasks["outputs" if description.home.by_outputs else "drives"], dtype=np.int64)
    both, aims, scale = _list_aims(description, model, tasks)
    target = aims[len(loops) :]
    q = _close_near_guess(description, tree, model, rows, both, aims, wanted)
    if np.abs(read_values(model, both, q) - aims).max(initial=0.0) <= scale:
        return q, ""
    held = _fit(model, both, aims, q, np.concatenate([np.ones(len(loops)), np.full(len(wanted), _HELD)]))
    missed = np.abs(read_values(model, wanted, held) - target)
    where = f"{description.source}: home:"
    if len(wanted) and missed.max() > 1e-3:
        k = int(np.argmax(missed))
        problem = f"{where} out of reach: '{rows[wanted[k]].label}' misses {target[k]:g} by {missed[k]:.6g}"
    else:
        problem = f"{where} {_open_loop(model, rows, loops, held)}"
    closed = _fit(model, loops, np.zeros(len(loops)), held) if len(loops) else held
    if np.abs(read_values(model, loops, closed)).max(initial=0.0) > scale:
        raise MachineError(f"{where} {_open_loop(model, rows, loops, closed)}")
    return closed, problem


def _close_near_guess(
    description: Description,
    tree: Tree,
    model: Model,
    rows: list[Row],
    both: np.ndarray,
    aims: FloatArray,
    wanted: np.ndarray,
) -> FloatArray:
    """Return coordinates that bring loops and drives (outputs) to their aims, in the mode that the guess is nearest to.

    The drives are where they are at home before loops are closed, moved by joints that nobody guessed where that does.
    Where that closes far from the guess, other starts of what nobody guessed are tried.
    """
    guess = guess_start(description, tree, model)
    free = compute_unguessed_velocities(description, tree, model)
    of_joints = [k for k, row in enumerate(wanted) if rows[row].factors]
    driven, at_home = wanted[of_joints], aims[len(both) - len(wanted) :][of_joints]
    placed = _fit(model, driven, at_home, guess, moving=free)
    placed = _fit(model, driven, at_home, placed)

    def close(start: FloatArray) -> tuple[float, FloatArray]:
        q = _fit(model, both, aims, start)
        gap = float(np.abs(read_values(model, both, q) - aims).max(initial=0.0))
        far = farthest(guess_distances(description, tree, model, q))
        return np.inf if gap > _OPEN else 0.0 if far is None else far.relative, q

    distance, q = close(placed)
    if distance <= NEAR_GUESS:
        return q
    first = q if np.isfinite(distance) else close(guess)[1]
    others = (_fit(model, both, aims, one, moving=free) for one in random_starts(placed, free, tree, model))
    for start in (guess, *others):
        other, found = close(start)
        if other < distance:
            distance, first = other, found
        if distance <= NEAR_GUESS:
            break
    return first


def _find_undriven_joints(
    tree: Tree, model: Model, tasks: dict[str, list[int]], home: FloatArray
) -> list[str]:
    """Return the joints that move while the loops are closed and all drives are held."""
    held = np.array([*tasks["loops"], *tasks["drives"]], dtype=np.int64)
    free = np.abs(_compute_null_space(_compute_jacobian(model, held, home))).max(axis=1, initial=0.0)
    return [
        joint.name
        for joint in tree.carried
        if any(
            free[tree.frames[k].velocity :][: VELOCITIES[tree.frames[k].kind]].max(initial=0.0) > RANK
            for k in tree.joint_frames[joint.name]
        )
    ]


def _open_loop(model: Model, rows: list[Row], loops: np.ndarray, q: FloatArray) -> str:
    """Return which loop does not close or which coupling is not kept, and its gap."""
    gaps: dict[tuple[str, str], float] = {}
    for row, value in zip(loops, read_values(model, loops, q), strict=True):
        joint = rows[row].joint
        name = f"the loop at joint '{joint}' cannot close" if joint else f"{rows[row].label} cannot be kept"
        if rows[row].kind in (POINT, COMBINATION):
            gaps[name, rows[row].unit] = float(np.hypot(gaps.get((name, rows[row].unit), 0.0), value))
    if not gaps:
        return "the loops cannot close"
    (what, unit), gap = max(gaps.items(), key=lambda one: one[1])
    return f"{what}: gap of {gap:.6g} {unit}"


def _fit(
    model: Model,
    chosen: np.ndarray,
    target: FloatArray,
    start: FloatArray,
    weight: FloatArray | float = 1.0,
    moving: np.ndarray | None = None,
) -> FloatArray:
    """Return coordinates that bring rows to their targets, or as near as they come (Levenberg, Marquardt).

    `moving` (V,) says which velocities may; all if None.
    """
    q = start.copy()
    if not len(chosen) or (moving is not None and not moving.any()):
        return q
    damping = 1e-4
    weights = np.broadcast_to(weight, len(chosen))
    gap = weights * (target - read_values(model, chosen, q))
    for _ in range(_STEPS):
        jacobian = weights[:, None] * _compute_jacobian(model, chosen, q)
        if moving is not None:
            jacobian[:, ~moving] = 0.0
        if gap @ gap < _CLOSED**2 * 1e-8:
            # closed: one step without damping, the shortest that redundant rows allow
            step = np.linalg.lstsq(jacobian, gap, rcond=RANK)[0]
        else:
            normal = jacobian.T @ jacobian
            step = np.linalg.solve(normal + damping * np.eye(len(normal)), jacobian.T @ gap)
        trial = q.copy()
        advance(model, trial, step)
        new = weights * (target - read_values(model, chosen, trial))
        if gap @ gap < _CLOSED**2 * 1e-8:
            return trial if new @ new <= gap @ gap else q
        if new @ new < gap @ gap:
            q, gap, damping = trial, new, max(damping * 0.2, 1e-14)
        else:
            damping *= 10.0
            if damping > 1e8:
                break
    return q


def read_values(model: Model, chosen: np.ndarray, q: FloatArray) -> FloatArray:
    """Return the values (n,) of the chosen rows at a configuration (Q,), m or rad."""
    values = np.zeros((1, len(chosen)))
    read_rows(model, chosen, q[None], values, np.zeros((0, len(chosen), len(q))))
    return values[0]


def _compute_jacobian(model: Model, chosen: np.ndarray, q: FloatArray) -> FloatArray:
    matrix = np.zeros((1, len(chosen), len(model.velocity)))
    read_rows(model, chosen, q[None], np.zeros((1, len(chosen))), matrix)
    return matrix[0]


def _normalise_rows(jacobian: FloatArray) -> FloatArray:
    size = np.linalg.norm(jacobian, axis=1, keepdims=True)
    return jacobian / np.where(size > 0, size, 1.0)


def _rank(jacobian: FloatArray) -> int:
    if not jacobian.size:
        return 0
    values = np.linalg.svd(_normalise_rows(jacobian), compute_uv=False)
    return int(np.count_nonzero(values > RANK * values[0])) if values[0] > 0 else 0


def _compute_null_space(jacobian: FloatArray) -> FloatArray:
    """Directions (V, k) in which the rows do not change."""
    if not jacobian.size:
        return np.eye(jacobian.shape[1])
    _, _, across = np.linalg.svd(_normalise_rows(jacobian))
    return across[_rank(jacobian) :].T


def _compute_general_rank(
    model: Model, loops: np.ndarray, home: FloatArray, jacobian: FloatArray
) -> tuple[int, FloatArray]:
    """Return the largest rank of the loops' rows at home and at closed configurations near it, and the rows there."""
    best, rows = _rank(jacobian), jacobian
    for q in _draw_nearby(model, loops, home):
        there = _compute_jacobian(model, loops, q)
        if _rank(there) > best:
            best, rows = _rank(there), there
    return best, rows


def _draw_nearby(model: Model, loops: np.ndarray, home: FloatArray) -> list[FloatArray]:
    """Closed configurations a little away from home, in directions that the loops leave free."""
    free = _compute_null_space(_compute_jacobian(model, loops, home))
    rng = np.random.default_rng(0)
    configurations = []
    for reach in _NEARBY if free.shape[1] else ():
        step = free @ rng.normal(size=free.shape[1])
        q = home.copy()
        advance(model, q, reach * step / np.abs(step).max())
        q = _fit(model, loops, np.zeros(len(loops)), q) if len(loops) else q
        if np.abs(read_values(model, loops, q)).max(initial=0.0) < 1e3 * _CLOSED:
            configurations.append(q)
    return configurations


def closed_nearby(model: Model, freedom: Mobility) -> list[FloatArray]:
    """Home, and closed configurations (Q,) a little away from it."""
    return [freedom.home, *_draw_nearby(model, np.array(freedom.independent, dtype=np.int64), freedom.home)]


def free_directions(model: Model, freedom: Mobility, q: FloatArray) -> FloatArray:
    """Velocities (V, dof) that the loops allow at a configuration."""
    return _compute_null_space(_compute_jacobian(model, np.array(freedom.independent, dtype=np.int64), q))


def _select_independent_rows(jacobian: FloatArray, rank: int) -> list[int]:
    """Return the first rows that span all of them (Gram, Schmidt)."""
    basis: list[FloatArray] = []
    chosen: list[int] = []
    for i, row in enumerate(_normalise_rows(jacobian)):
        rest = row.copy()
        for _ in range(2):
            for direction in basis:
                rest = rest - (rest @ direction) * direction
        size = np.linalg.norm(rest)
        if size > 1e-7 and len(chosen) < rank:
            chosen.append(i)
            basis.append(rest / size)
    return chosen
