# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a simulated machine can have that no machine file describes: sensors that err, drive trains with states."""
