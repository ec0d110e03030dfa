# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Stepping over one period with a drive train that has states: LuGre bristles, elastic drives, rubbing joints.

As `simulation.actuated.stepping`, small implicit steps of two stages, with more between drive and platform:

* Per drive the motor side (position x, rate x') may be joined to the mechanism by a spring of compliance c with some
  damping d. It carries N = (x - l)/c + d (x' - l'), and moves by M x'' = drive - friction(x') - N; M, the motor's
  inertia along the drive, may be zero. A rigid drive has x = l, and friction acts on the drive itself.
* Coulomb friction may have bristles (LuGre: Canudas de Wit et al. 1995): z' = v - s0 |v| z / g(v), friction
  s0 z + s1 z' + viscous, with g(v) the force it slides at and s0 = g(inf) / presliding displacement.
* It may grow with the axial load, F = F_0 + mu b |drive - F|, and with the length.
* Friction of passive joints enters as the drive forces that do the same work: joint rates are B l', hence B^T tau.

Rates of the drives are solved for by Newton's method; the motor sides are eliminated drive by drive.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.mechanisms.friction import friction_along, friction_slope
from pkm_identification.mechanisms.friction.law import TRANSITION, clip_rate, law_tuple
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import kernel
from pkm_identification.numerics.linear_systems import solve_square

from ..actuated.stepping import GAMMA, Dynamics, turn_pose
from ..resistance import COULOMB as JOINT_COULOMB
from ..resistance import VISCOUS as JOINT_VISCOUS
from ..resistance import compute_turning_speed, end_stop, stop_at_transition

NEWTON_ITERATIONS = 60
MOTOR_ITERATIONS = 60
BRISTLE, POSITION, RATE = range(3)  # rows of the state
COULOMB, ASYMMETRY, BRISTLE_STIFFNESS, BRISTLE_DAMPING, STIFFNESS, DAMPING, MASS, HOME = range(
    8
)  # rows of `drives`
EXCESS, STRIBECK_RATE, BY_LOAD, BY_POSITION = range(4)


class JointAxes(NamedTuple):
    """Friction of the m axes of passive joints.

    Attributes
    ----------
    coefficients : ndarray, shape (2, m)
        Viscous and Coulomb.
    triple : ndarray of int64, shape (m,)
        Of the axes of a joint that turns any way, the first of its three; -1 of others.
    transition : ndarray, shape (1,)
        Rate where their friction has its transition.
    """

    coefficients: FloatArray
    triple: NDArray[np.int64]
    transition: FloatArray


class Train(NamedTuple):
    """Numbers of a drive train.

    Attributes
    ----------
    laws : ndarray, shape (n, 5)
        `Friction.laws`.
    coefficients : ndarray, shape (TERMS, n)
        Of the law, without the Coulomb friction that bristles carry.
    stops : ndarray, shape (4, n)
        As of `Resistance`.
    drives : ndarray, shape (8, n)
        Coulomb friction and asymmetry (N), stiffness (N/m; 0: none) and damping (N s/m) of the bristles, stiffness
        (0: rigid) and damping of the drive, mass (kg) on the motor side, coordinate at home (m). Of drives in rad N m,
        rad and kg m^2.
    alike : ndarray, shape (4,)
        Stribeck excess and rate (m/s), friction by load (N/N) and by coordinate (1/m).
    joints : JointAxes
    """

    laws: FloatArray
    coefficients: FloatArray
    stops: FloatArray
    drives: FloatArray
    alike: FloatArray
    joints: JointAxes


class Present(NamedTuple):
    """Of the drives at one instant, (n,) each.

    Rates, resistance (drive force less what reaches the mechanism), and the part of it that stands for friction of
    passive joints, which is no force along a drive.
    """

    rate: FloatArray
    resistance: FloatArray
    rubbing: FloatArray


class Stage(NamedTuple):
    """Of one implicit stage, (n,) each: velocities, their change per s, rates of drives, bristles and motor sides."""

    twist: FloatArray
    change: FloatArray
    rate: FloatArray
    bristle_rate: FloatArray
    motor_rate: FloatArray


@kernel
def train_friction(rate, length, drive, bristle, h, train, i):
    """Friction of drive i on the motor side, its slope by rate, and its bristle's position and rate.

    `bristle` is what is known of the bristle's position, `h` (s) the implicit share of the step: position = bristle + h
    rate of the bristle; with h = 0 everything is of one instant.
    """
    law = law_tuple(train.laws[i], 0)
    p, a = train.drives, train.alike
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
    """Force that drive i passes on to the mechanism, its slope by the drive's rate, and the motor side's motion.

    `length` and, in the `state` (3, n), bristles and positions are the known parts of what is at the end of an implicit
    step of `h` (s), the motors' rates are those at its beginning. Returns force, slope, bristle and its rate, motor
    rate.
    """
    bristle, position, motor_rate = state[BRISTLE, i], state[POSITION, i], state[RATE, i]
    p = train.drives
    if p[STIFFNESS, i] == 0.0:
        force, slope, z, z_rate = train_friction(rate, length + h * rate, drive, bristle, h, train, i)
        return drive - force, -slope, z, z_rate, rate
    inertia = p[MASS, i] / h if h > 0.0 and p[MASS, i] > 0.0 else 0.0
    spring = h * p[STIFFNESS, i] + p[DAMPING, i]
    known = p[STIFFNESS, i] * (position - length)
    x_rate = guess
    slope = 0.0
    transition_rate = train.laws[i, TRANSITION]
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
def _compute_joint_forces(rate, axes, joints, force, slope):
    """Drive forces (n,) that do the work of the joints' friction, and their slopes (n, n) by drive rates.

    `axes` (m, n) are the rates of the joints' axes per rate of a drive.
    """
    count, transition = rate.shape[0], joints.transition[0]
    force[:] = 0.0
    slope[:] = 0.0
    turning, torque, gradient = np.zeros(axes.shape[0]), np.zeros(3), np.zeros((3, 3))
    for j in range(axes.shape[0]):
        for i in range(count):
            turning[j] += axes[j, i] * rate[i]
    for j in range(axes.shape[0]):
        first = joints.triple[j]
        if first >= 0 and first != j:
            continue  # with the first of its three
        together = 3 if first == j else 1
        speed = compute_turning_speed(turning, j) if together == 3 else abs(turning[j])
        viscous, coulomb = joints.coefficients[JOINT_VISCOUS, j], joints.coefficients[JOINT_COULOMB, j]
        per_rate = viscous + coulomb / max(speed, transition)
        for n in range(together):
            torque[n] = per_rate * turning[j + n]
            for k in range(together):
                gradient[n, k] = per_rate if n == k else 0.0
                if speed > transition:
                    gradient[n, k] -= coulomb * turning[j + n] * turning[j + k] / speed**3
        for n in range(together):
            for i in range(count):
                force[i] += axes[j + n, i] * torque[n]
                for k in range(count):
                    for m in range(together):
                        slope[i, k] += axes[j + n, i] * gradient[n, m] * axes[j + m, k]


@kernel
def present_forces(twist, length, jacobian, axes, force, train, state, present):
    """Write what is `Present` at one instant."""
    rate, resistance, rubbing = present.rate, present.resistance, present.rubbing
    count = rate.shape[0]
    slope = np.empty((count, count))
    for i in range(count):
        rate[i] = 0.0
        for k in range(count):
            rate[i] += jacobian[i, k] * twist[k]
    _compute_joint_forces(rate, axes, train.joints, rubbing, slope)
    for i in range(count):
        passed = transmit_force(rate[i], length[i], force[i], state, state[RATE, i], 0.0, train, i)
        resistance[i] = force[i] - passed[0] + rubbing[i]


@kernel
def _solve_stage(known, known_state, h, dynamics, drive, train, axes, stage):
    """Solve one implicit stage, by the `Dynamics` and drive forces there, from known velocities and coordinates.

    The `Stage` is written; its rates and motor rates hold first guesses.
    """
    smooth, comp, jac = dynamics
    known_twist, known_length = known
    twist, change, rate = stage.twist, stage.change, stage.rate
    bristle_rate, motor_rate = stage.bristle_rate, stage.motor_rate
    count = rate.shape[0]
    mobility, matrix, slopes, axis_slope = np.zeros((4, count, count))
    residual, start, net, rubbing = np.zeros((4, count))
    for i in range(count):
        for k in range(count):
            start[i] += jac[i, k] * (known_twist[k] + h * smooth[k])
            for m in range(count):
                mobility[i, k] += jac[i, m] * comp[m, k]
    for iteration in range(NEWTON_ITERATIONS):
        _compute_joint_forces(rate, axes, train.joints, rubbing, axis_slope)
        for i in range(count):
            net[i], slope, _, bristle_rate[i], motor_rate[i] = transmit_force(
                rate[i], known_length[i], drive[i], known_state, motor_rate[i], h, train, i
            )
            net[i] -= rubbing[i]
            for k in range(count):
                slopes[i, k] = axis_slope[i, k]
            slopes[i, i] -= slope
        largest, scale = 0.0, 1e-12
        for i in range(count):
            residual[i] = start[i] - rate[i]
            size = abs(start[i])
            for k in range(count):
                part = h * mobility[i, k] * net[k]
                residual[i] += part
                size += abs(part)
                matrix[i, k] = 0.0
                for m in range(count):
                    matrix[i, k] += h * mobility[i, m] * slopes[m, k]
            matrix[i, i] += 1.0
            largest = max(largest, abs(residual[i]))
            scale = max(scale, size)
        if largest <= 1e-12 * scale:
            break
        solve_square(matrix, residual)
        # corners of many joints can send Newton round in a circle; shorter steps end that
        damping = 1.0 if iteration < 20 else 0.5
        for i in range(count):
            new = rate[i] + damping * residual[i]
            rate[i] = stop_at_transition(rate[i], new, train.laws[i, TRANSITION])
    for i in range(count):
        change[i] = smooth[i]
        for k in range(count):
            change[i] += comp[i, k] * net[k]
        twist[i] = known_twist[i] + h * change[i]


@kernel
def advance_train(motion, ends, force, axes, train, state, duration, steps):
    """Move a `Motion` and a state (3, n) on, in place, over one period in `steps` small steps.

    As `actuated.stepping.advance`; `force` (2, n) and `axes` (2, m, n), the rates of the joints' axes per rate of a
    drive, are those at both ends, `train` is a `Train`. Of the `ends` the n drives' axes alone are used; velocities are
    n, too. Rows of the state: bristles' positions, motors' positions and rates.
    """
    twist, pose, length = motion.speed, motion.pose, motion.coordinate
    free, compliance, jacobian = ends
    h, count = duration / steps, length.shape[0]
    smooth, drive, known, rate, reached, motor_rate, bristle_rate = np.zeros((7, count))
    stage, change, first, first_change, first_rate, first_bristle, first_motor, motor_change = np.zeros(
        (8, count)
    )
    comp, jac = np.empty((count, count)), np.empty((count, count))
    at = np.empty(axes.shape[1:])
    known_state = np.empty((3, count))
    now = Dynamics(smooth, comp, jac)
    here = Stage(stage, change, rate, bristle_rate, motor_rate)
    motor_rate[:] = state[RATE]
    for i in range(count):
        for k in range(count):
            rate[i] += jacobian[0, i, k] * twist[k]
    for n in range(steps):
        for s in range(2):
            t = (n + (GAMMA if s == 0 else 1.0)) / steps
            smooth[:] = free[0] + t * (free[1] - free[0])
            drive[:] = force[0] + t * (force[1] - force[0])
            for i in range(count):
                for k in range(count):
                    comp[i, k] = compliance[0, i, k] + t * (compliance[1, i, k] - compliance[0, i, k])
                    jac[i, k] = jacobian[0, i, k] + t * (jacobian[1, i, k] - jacobian[0, i, k])
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
        if pose.shape[0] == 7:
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
