# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a YAML file says of a mechanism, in exact numbers."""
