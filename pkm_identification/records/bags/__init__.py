# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""rosbag2 recordings: read, written, and recovered where one was cut off."""

ROS_1 = ".bag"  # a recording of ROS 1: read, not written
STRUT_STATES = "strut_states"
MOTOR_STATES = "motor_states"  # the same by encoders on the motors, of drives that have one on either side
BAG_FILES = (".db3", ".mcap")  # of rosbag2
