# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Reading and writing logs: CSV in `table` and `log`, recordings in `bags`."""
