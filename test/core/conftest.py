# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Settings shared by the core's tests."""

from hypothesis import HealthCheck, settings

# Compilation and busy machines make single examples slow; the examples are the same in every run.
settings.register_profile(
    "core", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("core")
