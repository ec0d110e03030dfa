# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The bridge to ROS 2: the only package, with `nodes`, that imports rclpy and messages."""
