# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What is estimated: parameter sets, and what is known of parameters before the data."""
