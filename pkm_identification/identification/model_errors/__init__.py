# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What may be wrong with a log, a file or a law of friction, as columns: of candidates and of what is estimated."""
