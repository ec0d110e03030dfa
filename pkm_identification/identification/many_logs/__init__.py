# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Many logs of a machine, or of machines of one type: compared, and worked on again when new ones come."""
