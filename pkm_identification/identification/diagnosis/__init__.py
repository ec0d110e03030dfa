# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Does the model fit the machine, and if not, why: noise floor, hypotheses about what is wrong, verdict."""
