# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Numbers by which kernels know motions of frames and kinds of rows."""

# Elementary motion of a frame in the one before it.
FIXED, REVOLUTE, PRISMATIC, BALL, NO_SPIN = range(5)
# Coordinates (a ball's are a quaternion x, y, z, w) and velocities of each.
COORDINATES = (0, 1, 1, 4, 2)
VELOCITIES = (0, 1, 1, 3, 2)
# Rows: scalar functions of the configuration.
#   POINT        d . (P_b - P_a), d and P_a fixed in frame a, P_b in frame b
#   AXES         u . w, u fixed in frame a, w in frame b
#   LENGTH       |P_b - P_a|
#   ANGLE        one of the three turns that make frame b of frame a
#   TURN         a component, in the ground's axes, of the turn from a wanted rotation to that of frame b
#   SPIN         no value, only a rate: that of frame b's turn against frame a about d, fixed in frame a
#   COMBINATION  of joint coordinates
#   LEVER        third side of a triangle whose angle is a combination
POINT, AXES, LENGTH, ANGLE, TURN, COMBINATION, LEVER, SPIN = range(8)
# How a closing ended.
OK, DEGRADED, FAILED, SINGULAR, OTHER_MODE = range(5)
STATUS_NAMES = ("ok", "degraded", "failed", "singular", "other assembly mode")
