# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Programs that behave towards our launch files as those of ros2_control do, where those are not installed."""
