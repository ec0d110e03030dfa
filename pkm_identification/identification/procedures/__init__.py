# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Procedures of several estimations: staged, single struts, a fall with the drives off."""
