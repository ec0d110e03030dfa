# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""First descriptions of machines without a file: of a template with a few numbers, or of another program's file."""
