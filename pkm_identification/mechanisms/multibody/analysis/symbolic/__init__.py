# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Base parameters by rules on the joint graph: what vanishes, and what can be transferred from body to body."""
