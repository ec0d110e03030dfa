# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What `import pkm_identification as pkm` offers: machines, logs and identifications in a few functions."""
