# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The assembly mode: where closing the loops begins, and how far from the file's guess it ends; in float64."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.rotation import build_quaternion_from_matrix, matrix_from_vector

from ..description.records import FREEDOM, Description, Joint
from ..kernels.closing import read_frames
from ..kernels.codes import BALL, HOLDER, ORIGIN, STATE
from ..numbers.arithmetic import FLOAT64
from .model import Model, compute_model_size
from .placements import joint_frames
from .tree import Tree


def read_body_frames(tree: Tree, model: Model, configuration: FloatArray) -> FloatArray:
    """Return the frames of all bodies at configurations (N, Q), as `read_frames` writes them."""
    state = np.zeros((len(configuration), len(tree.frames), STATE, 3))
    FLOAT64.compile(read_frames)(model, np.ascontiguousarray(configuration), state)
    return state


def read_between(joint: Joint, tree: Tree, frames: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the joint's frame on its second body as seen from that on its first: rotation (N, 3, 3), origin (N, 3)."""
    ends = []
    for body, frame in zip(joint.bodies, joint_frames(joint), strict=True):
        own = frames[:, tree.body_frames[body]]
        turned, origin = FLOAT64.array(frame.rotation), FLOAT64.array(frame.origin)
        ends.append((own[:, :3] @ turned, own[:, ORIGIN] + own[:, :3] @ origin))
    (first, here), (second, there) = ends
    return np.einsum("nji,njk->nik", first, second), np.einsum("nji,nj->ni", first, there - here)


# rad, or so many times the mechanism's size: a guess is good to 30 degrees, or it is of another mode
NEAR_GUESS = 0.5
RANDOM_STARTS = 30  # of the coordinates that nobody guessed, where the first start closes far from the guess
_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True)
class GuessDistance:
    """How far a joint is at home from where the file guesses it.

    Attributes
    ----------
    joint : str
    apart : float
        Angle in rad, or distance in m.
    unit : str
    relative : float
        The angle, or the distance over the mechanism's size: what decides which joint is farthest.
    """

    joint: str
    apart: float
    unit: str
    relative: float

    @property
    def is_far(self) -> bool:
        """Whether the joint is in another place than was guessed."""
        return self.relative > NEAR_GUESS


def guess_start(description: Description, tree: Tree, model: Model) -> FloatArray:
    """Return the coordinates (Q,) that the file guesses, zero where it does not.

    A spherical joint's guess is a rotation vector; without one, the body it carries is parallel to the ground.
    """
    q = np.zeros(tree.coordinates)
    for frame in tree.frames:
        if frame.kind == BALL:
            q[frame.coordinate + 3] = 1.0
    for name, values in description.home.guess.items():
        if name not in tree.joint_frames:
            continue
        given = FLOAT64.array(values)
        frames = [tree.frames[k] for k in tree.joint_frames[name]]
        if frames and frames[0].kind == BALL:
            angle = np.linalg.norm(given)
            q[frames[0].coordinate : frames[0].coordinate + 3] = 0.5 * np.sinc(0.5 * angle / np.pi) * given
            q[frames[0].coordinate + 3] = np.cos(0.5 * angle)
        elif len(frames) == 1:
            q[frames[0].coordinate : frames[0].coordinate + len(given)] = given
        else:
            for frame, value in zip(frames, given, strict=True):
                q[frame.coordinate] = value
    joints = [joint.name for joint in description.joints]
    state = np.zeros((1, len(tree.frames), STATE, 3))
    for k, frame in enumerate(tree.frames):
        if frame.kind == BALL and joints[frame.joint] not in description.home.guess:
            read_frames(model, q[None], state)
            back = build_quaternion_from_matrix(state[0, k, :3].T)
            q[frame.coordinate : frame.coordinate + 4] = back
    return q


def compute_unguessed_velocities(description: Description, tree: Tree, model: Model) -> np.ndarray:
    """Return which of the tree's velocities (V,) belong to joints that the file does not guess."""
    joints = [joint.name for joint in description.joints]
    holders = [tree.frames[k].joint for k in model.velocity[:, HOLDER]]
    return np.array([joints[j] not in description.home.guess for j in holders], dtype=bool)


def random_starts(start: FloatArray, free: np.ndarray, tree: Tree, model: Model) -> Iterator[FloatArray]:
    """Yield starts (Q,) with the coordinates of free velocities (V,) anywhere: angles in a turn, slides in its size."""
    rng, size = np.random.default_rng(0), compute_model_size(tree)
    turning = {k: tree.frames[k] for k in {int(k) for k in model.velocity[free, HOLDER]}}
    for _ in range(RANDOM_STARTS):
        q = start.copy()
        for k, frame in turning.items():
            own = model.velocity[model.velocity[:, HOLDER] == k]
            if frame.kind == BALL:
                drawn = rng.normal(size=4)
                q[frame.coordinate : frame.coordinate + 4] = drawn / np.linalg.norm(drawn)
                continue
            for _, turns, coordinate in own:
                q[coordinate] = (
                    rng.uniform(-np.pi, np.pi) if turns else start[coordinate] + rng.uniform(-size, size)
                )
        yield q


def guess_distances(
    description: Description, tree: Tree, model: Model, home: FloatArray
) -> tuple[GuessDistance, ...]:
    """Return how far each guessed joint is from its guess at a configuration (Q,), those that close loops included."""
    frames = read_body_frames(tree, model, home[None])
    size = compute_model_size(tree)
    found = []
    for joint in description.joints:
        if joint.name not in description.home.guess or not FREEDOM[joint.type]:
            continue
        given = FLOAT64.array(description.home.guess[joint.name])
        (rotation,), (shift,) = read_between(joint, tree, frames)
        if joint.type == "prismatic":
            apart = abs(float(shift[2] - given[0]))
            found.append(GuessDistance(joint.name, apart, "m", apart / size))
            continue
        wanted = _compute_guessed_rotation(joint, given)
        if joint.type == "no_spin":
            angle = _compute_angle(rotation[:, 2], wanted[:, 2])
        else:
            cosine = 0.5 * (np.trace(wanted.T @ rotation) - 1.0)
            angle = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
        found.append(GuessDistance(joint.name, angle, "rad", angle))
    return tuple(found)


def farthest(distances: tuple[GuessDistance, ...]) -> GuessDistance | None:
    """Return the joint that is farthest from its guess; None where nothing is guessed."""
    return max(distances, key=lambda one: one.relative, default=None)


def _compute_guessed_rotation(joint: Joint, given: FloatArray) -> FloatArray:
    """Return the guessed rotation (3, 3) between the joint's frames."""
    if joint.type == "revolute":
        return matrix_from_vector(given[0] * _Z)
    if joint.type == "planar":
        return matrix_from_vector(given[2] * _Z)
    if joint.type == "spherical":
        return matrix_from_vector(given)
    return matrix_from_vector(given[0] * _X) @ matrix_from_vector(given[1] * _Y)


def _compute_angle(a: FloatArray, b: FloatArray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
