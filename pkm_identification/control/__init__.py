# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Control of real machines: strut loops, computed torque with the identified model, checked motions, safe stops."""
