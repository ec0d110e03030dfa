# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a person at a terminal sees besides results: bars, colours, completed words."""
