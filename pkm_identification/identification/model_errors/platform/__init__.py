# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Errors that only a platform on struts can have: its bodies, its hinges."""
