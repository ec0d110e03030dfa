# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stepping over one period with a drive train that has states: LuGre bristles, elastic struts, rubbing joints.

As `simulation.actuated.stepping`, small implicit steps of two stages, with more between drive and platform:

* Per strut the motor side (position x, rate x') may be joined to the platform joint by a spring of compliance c with
  some damping d. It carries N = (x - l)/c + d (x' - l'), and moves by M x'' = drive - friction(x') - N; M, the motor's
  inertia along the strut, may be zero. A rigid strut has x = l, and friction acts on the strut itself.
* Coulomb friction may have bristles (LuGre: Canudas de Wit et al. 1995): z' = v - s0 |v| z / g(v), friction
  s0 z + s1 z' + viscous, with g(v) the force it slides at and s0 = g(inf) / presliding displacement.
* It may grow with the axial load, F = F_0 + mu b |drive - F|, and with the length.
* Friction of the joints (`dynamics.joint_friction`) enters as the strut forces that do the same work: joint rates are
  B l', hence B^T tau.

Rates of the struts are solved for by Newton's method; the motor sides are eliminated strut by strut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pkm_identification.mechanisms.friction import friction_along, friction_slope
from pkm_identification.mechanisms.friction.law import TRANSITION, clip_rate, law_tuple
from pkm_identification.mechanisms.hexapod.dynamics.joint_friction import joint_coulomb
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import solve6

from ..actuated.stepping import GAMMA, Dynamics, turn_pose
from ..resistance import end_stop, stop_at_transition

NEWTON_ITERATIONS = 60
MOTOR_ITERATIONS = 60
BRISTLE, POSITION, RATE = range(3)  # rows of the state
COULOMB, ASYMMETRY, BRISTLE_STIFFNESS, BRISTLE_DAMPING, STIFFNESS, DAMPING, MASS, HOME = range(
    8
)  # rows of `struts`
EXCESS, STRIBECK_RATE, BY_LOAD, BY_POSITION = range(4)


class Train(NamedTuple):
    """Numbers of a drive train.

    Attributes
    ----------
    law : ndarray
        `Friction.law_parameters`.
    coefficients : ndarray, shape (TERMS, 6)
        Of the law, without the Coulomb friction that bristles carry.
    stops : ndarray, shape (4, 6)
        As of `Resistance`.
    struts : ndarray, shape (8, 6)
        Coulomb friction and asymmetry (N), stiffness (N/m; 0: none) and damping (N s/m) of the bristles, stiffness
        (0: rigid) and damping of the strut, mass (kg) on the motor side, home length (m).
    alike : ndarray, shape (4,)
        Stribeck excess and rate (m/s), friction by load (N/N) and by length (1/m).
    joints : ndarray, shape (4, 6)
        As of `JointFriction`.
    joint_law : ndarray, shape (3,)
        Rate (rad/s) where the joints' friction bends, and whether base and platform joints are universal.
    """

    law: FloatArray
    coefficients: FloatArray
    stops: FloatArray
    struts: FloatArray
    alike: FloatArray
    joints: FloatArray
    joint_law: FloatArray


class Present(NamedTuple):
    """Of the struts at one instant, (6,) each.

    Rates, resistance (drive force less what reaches the platform), and the part of it that stands for friction of the
    joints, which is no force along a strut.
    """

    rate: FloatArray
    resistance: FloatArray
    rubbing: FloatArray


class Stage(NamedTuple):
    """Of one implicit stage, (6,) each: twist, its change per second, rates of struts, bristles and motor sides."""

    twist: FloatArray
    change: FloatArray
    rate: FloatArray
    bristle_rate: FloatArray
    motor_rate: FloatArray


@kernel
def train_friction(rate, length, drive, bristle, h, train, i):
    """Friction of strut i on the motor side, its slope by rate, and its bristle's position and rate.

    `bristle` is what is known of the bristle's position, `h` (s) the implicit share of the step: position = bristle + h
    rate of the bristle; with h = 0 everything is of one instant.
    """
    law = law_tuple(train.law, 0)
    p, a = train.struts, train.alike
    force = friction_along(rate, law, train.coefficients, i)
    slope = friction_slope(rate, law, train.coefficients, i)
    transition_rate = clip_rate(rate, law[TRANSITION])
    transition_slope = 1.0 / law[TRANSITION] if abs(rate) <= law[TRANSITION] else 0.0
    by_length = 1.0 + a[BY_POSITION] * (length - p[HOME, i])
    falling = a[EXCESS] * np.exp(-((rate / a[STRIBECK_RATE]) ** 2))
    z, z_rate = 0.0, 0.0
    if p[BRISTLE_STIFFNESS, i] > 0.0:
        sliding = max(p[COULOMB, i] * by_length * (1.0 + falling), 1e-9)
        share = p[BRISTLE_STIFFNESS, i] * abs(rate) / sliding
        z = (bristle + h * rate) / (1.0 + h * share)
        z_rate = rate - share * z
        sign = 1.0 if rate >= 0.0 else -1.0
        share_slope = p[BRISTLE_STIFFNESS, i] * sign / sliding
        z_slope = h * (1.0 - z * share_slope) / (1.0 + h * share)
        force += p[BRISTLE_STIFFNESS, i] * z + p[BRISTLE_DAMPING, i] * z_rate
        slope += p[BRISTLE_STIFFNESS, i] * z_slope
        slope += p[BRISTLE_DAMPING, i] * (1.0 - share_slope * z - share * z_slope)
    else:
        extra = p[COULOMB, i] * (by_length * (1.0 + falling) - 1.0)
        force += extra * transition_rate
        slope += extra * transition_slope
        slope -= p[COULOMB, i] * by_length * falling * 2.0 * rate / a[STRIBECK_RATE] ** 2 * transition_rate
    force += p[ASYMMETRY, i] * abs(transition_rate)
    slope += p[ASYMMETRY, i] * transition_slope * (1.0 if transition_rate >= 0.0 else -1.0)
    if a[BY_LOAD] > 0.0:
        # F = F_0 + mu b |drive - F|: |mu b| < 1, so one of the two branches holds
        load = a[BY_LOAD] * transition_rate
        if drive >= force:
            force, branch = (force + load * drive) / (1.0 + load), 1.0 + load
        else:
            force, branch = (force - load * drive) / (1.0 - load), 1.0 - load
        slope = (slope + a[BY_LOAD] * transition_slope * abs(drive - force)) / branch
    stop, stop_slope, stop_stiffness = end_stop(rate, length, train.stops, i)
    return force + stop, slope + stop_slope + h * stop_stiffness, z, z_rate


@kernel
def transmit_force(rate, length, drive, state, guess, h, train, i):
    """Force that strut i passes on to the platform, its slope by the strut's rate, and the motor side's motion.

    `length` and, in the `state` (3, 6), bristles and positions are the known parts of what is at the end of an implicit
    step of `h` (s), the motors' rates are those at its beginning. Returns force, slope, bristle and its rate, motor
    rate.
    """
    bristle, position, motor_rate = state[BRISTLE, i], state[POSITION, i], state[RATE, i]
    p = train.struts
    if p[STIFFNESS, i] == 0.0:
        force, slope, z, z_rate = train_friction(rate, length + h * rate, drive, bristle, h, train, i)
        return drive - force, -slope, z, z_rate, rate
    inertia = p[MASS, i] / h if h > 0.0 and p[MASS, i] > 0.0 else 0.0
    spring = h * p[STIFFNESS, i] + p[DAMPING, i]
    known = p[STIFFNESS, i] * (position - length)
    x_rate = guess
    slope = 0.0
    transition_rate = train.law[TRANSITION]
    if h == 0.0 and p[MASS, i] > 0.0:
        x_rate = motor_rate  # of one instant: the motor's rate is a state
        _, slope, z, z_rate = train_friction(x_rate, position, drive, bristle, h, train, i)
    else:
        low, high = -np.inf, np.inf
        for _ in range(MOTOR_ITERATIONS):
            force, slope, z, z_rate = train_friction(
                x_rate, position + h * x_rate, drive, bristle, h, train, i
            )
            error = inertia * (x_rate - motor_rate) + force + known + spring * (x_rate - rate) - drive
            size = abs(force) + abs(known) + abs(drive) + spring * abs(x_rate) + 1e-9
            if abs(error) <= 1e-13 * size:
                break
            if error > 0.0:
                high = x_rate
            else:
                low = x_rate
            new = stop_at_transition(
                x_rate, x_rate - error / max(inertia + slope + spring, 1e-12), transition_rate
            )
            if not low < new < high:
                new = 0.5 * (low + high) if np.isfinite(low) and np.isfinite(high) else new
            x_rate = new
    force = known + spring * (x_rate - rate)
    stiff = max(inertia + slope + spring, 1e-12)
    return force, spring * (spring / stiff - 1.0), z, z_rate, x_rate


@kernel
def _write_joint_torque(rate, coulomb, viscous, hinged, transition, torque, gradient):
    """Write the torque (3,) of one joint turning at `rate` (3,), rad/s, and its derivative (3, 3)."""
    shape = joint_coulomb((rate[0], rate[1], rate[2]), hinged, transition)
    size = np.sqrt(rate[0] ** 2 + rate[1] ** 2 + rate[2] ** 2)
    for i in range(3):
        torque[i] = coulomb * shape[i] + viscous * rate[i]
        for k in range(3):
            gradient[i, k] = viscous if i == k else 0.0
            if hinged or size <= transition:
                if i == k and abs(rate[i]) <= transition:
                    gradient[i, k] += coulomb / transition
            else:
                gradient[i, k] += coulomb * ((1.0 if i == k else 0.0) - shape[i] * shape[k]) / size


@kernel
def _compute_joint_forces(rate, axes, train, force, slope):
    """Strut forces (6,) that do the work of the joints' friction, and their slopes (6, 6) by strut rates."""
    force[:] = 0.0
    slope[:] = 0.0
    turning, torque, gradient, by_rate = np.empty(3), np.empty(3), np.empty((3, 3)), np.empty((3, 6))
    for joint in range(axes.shape[0] // 3):
        strut, end = divmod(joint, 2)
        own = axes[3 * joint : 3 * joint + 3]
        for n in range(3):
            turning[n] = 0.0
            for i in range(6):
                turning[n] += own[n, i] * rate[i]
        _write_joint_torque(
            turning,
            train.joints[2 * end, strut],
            train.joints[2 * end + 1, strut],
            train.joint_law[1 + end] != 0.0,
            train.joint_law[0],
            torque,
            gradient,
        )
        for n in range(3):
            for k in range(6):
                by_rate[n, k] = 0.0
                for m in range(3):
                    by_rate[n, k] += gradient[n, m] * own[m, k]
        for n in range(3):
            for i in range(6):
                force[i] += own[n, i] * torque[n]
                for k in range(6):
                    slope[i, k] += own[n, i] * by_rate[n, k]


@kernel
def present_forces(twist, length, jacobian, axes, force, train, state, present):
    """Write what is `Present` at one instant."""
    rate, resistance, rubbing = present.rate, present.resistance, present.rubbing
    slope = np.empty((6, 6))
    for i in range(6):
        rate[i] = 0.0
        for k in range(6):
            rate[i] += jacobian[i, k] * twist[k]
    _compute_joint_forces(rate, axes, train, rubbing, slope)
    for i in range(6):
        passed = transmit_force(rate[i], length[i], force[i], state, state[RATE, i], 0.0, train, i)
        resistance[i] = force[i] - passed[0] + rubbing[i]


@kernel
def _solve_stage(known, known_state, h, dynamics, drive, train, axes, stage):
    """Solve one implicit stage, by the `Dynamics` and drive forces there, from known twist and lengths.

    The `Stage` is written; its rates and motor rates hold first guesses.
    """
    smooth, comp, jac = dynamics
    known_twist, known_length = known
    twist, change, rate = stage.twist, stage.change, stage.rate
    bristle_rate, motor_rate = stage.bristle_rate, stage.motor_rate
    mobility, matrix, slopes, axis_slope = np.zeros((4, 6, 6))
    residual, start, net, rubbing = np.zeros((4, 6))
    for i in range(6):
        for k in range(6):
            start[i] += jac[i, k] * (known_twist[k] + h * smooth[k])
            for m in range(6):
                mobility[i, k] += jac[i, m] * comp[m, k]
    for iteration in range(NEWTON_ITERATIONS):
        _compute_joint_forces(rate, axes, train, rubbing, axis_slope)
        for i in range(6):
            net[i], slope, _, bristle_rate[i], motor_rate[i] = transmit_force(
                rate[i], known_length[i], drive[i], known_state, motor_rate[i], h, train, i
            )
            net[i] -= rubbing[i]
            for k in range(6):
                slopes[i, k] = axis_slope[i, k]
            slopes[i, i] -= slope
        largest, scale = 0.0, 1e-12
        for i in range(6):
            residual[i] = start[i] - rate[i]
            size = abs(start[i])
            for k in range(6):
                part = h * mobility[i, k] * net[k]
                residual[i] += part
                size += abs(part)
                matrix[i, k] = 0.0
                for m in range(6):
                    matrix[i, k] += h * mobility[i, m] * slopes[m, k]
            matrix[i, i] += 1.0
            largest = max(largest, abs(residual[i]))
            scale = max(scale, size)
        if largest <= 1e-12 * scale:
            break
        solve6(matrix, residual)
        transition_rate = train.law[TRANSITION]
        # corners of many joints can send Newton round in a circle; shorter steps end that
        damping = 1.0 if iteration < 20 else 0.5
        for i in range(6):
            rate[i] = stop_at_transition(rate[i], rate[i] + damping * residual[i], transition_rate)
    for i in range(6):
        change[i] = smooth[i]
        for k in range(6):
            change[i] += comp[i, k] * net[k]
        twist[i] = known_twist[i] + h * change[i]


@kernel
def advance_train(motion, ends, force, axes, train, state, duration, steps):
    """Move a `Motion` and a state (3, 6) on, in place, over one period in `steps` small steps.

    As `actuated.stepping.advance`; `force` (2, 6) and `axes` (2, n, 6), the rates of the joints' axes per strut rate,
    are those at both ends, `train` is a `Train`. Rows of the state: bristles' positions, motors' positions and rates.
    """
    twist, pose, length = motion.speed, motion.pose, motion.coordinate
    free, compliance, jacobian = ends
    h = duration / steps
    smooth, drive, known, rate, reached, motor_rate, bristle_rate = np.zeros((7, 6))
    stage, change, first, first_change, first_rate, first_bristle, first_motor, motor_change = np.zeros(
        (8, 6)
    )
    comp, jac = np.empty((6, 6)), np.empty((6, 6))
    at = np.empty(axes.shape[1:])
    known_state = np.empty((3, 6))
    now = Dynamics(smooth, comp, jac)
    here = Stage(stage, change, rate, bristle_rate, motor_rate)
    motor_rate[:] = state[RATE]
    for i in range(6):
        for k in range(6):
            rate[i] += jacobian[0, i, k] * twist[k]
    for n in range(steps):
        for s in range(2):
            t = (n + (GAMMA if s == 0 else 1.0)) / steps
            smooth[:] = free[0] + t * (free[1] - free[0])
            drive[:] = force[0] + t * (force[1] - force[0])
            comp[:] = compliance[0] + t * (compliance[1] - compliance[0])
            jac[:] = jacobian[0] + t * (jacobian[1] - jacobian[0])
            at[:] = axes[0] + t * (axes[1] - axes[0])
            known[:] = twist
            reached[:] = length
            known_state[:] = state
            if s == 1:
                past = (1.0 - GAMMA) * h
                known += past * first_change
                reached += past * first_rate
                known_state[BRISTLE] += past * first_bristle
                known_state[POSITION] += past * first_motor
                known_state[RATE] += past * motor_change
            _solve_stage((known, reached), known_state, GAMMA * h, now, drive, train, at, here)
            if s == 0:
                first[:] = stage
                first_change[:] = change
                first_rate[:] = rate
                first_bristle[:] = bristle_rate
                first_motor[:] = motor_rate
                motor_change[:] = (motor_rate - known_state[RATE]) / (GAMMA * h)
        for k in range(3):
            pose[k] += h * ((1.0 - GAMMA) * first[k] + GAMMA * stage[k])
        turn_pose(
            pose,
            (1.0 - GAMMA) * first[3] + GAMMA * stage[3],
            (1.0 - GAMMA) * first[4] + GAMMA * stage[4],
            (1.0 - GAMMA) * first[5] + GAMMA * stage[5],
            h,
        )
        twist[:] = stage
        length[:] = reached + GAMMA * h * rate
        state[BRISTLE] = known_state[BRISTLE] + GAMMA * h * bristle_rate
        state[POSITION] = known_state[POSITION] + GAMMA * h * motor_rate
        state[RATE] = motor_rate
