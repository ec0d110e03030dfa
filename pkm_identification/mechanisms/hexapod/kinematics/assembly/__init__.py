# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""All real assembly modes of a hexapod, each with a certificate."""
