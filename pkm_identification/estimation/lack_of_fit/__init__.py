# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether a linear model fits its data, and which further columns the data ask for; knows no mechanism."""
