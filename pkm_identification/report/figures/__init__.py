# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The report's figures. Whatever imports matplotlib is in here: it takes longer to load than a log to identify."""
