# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What many logs of a machine show, as tables, sentences and pages."""
