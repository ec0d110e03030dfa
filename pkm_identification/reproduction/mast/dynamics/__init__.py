# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The mechanism as a disturbance of its axes, computed from the sliders' motion, against the coupled equations."""
