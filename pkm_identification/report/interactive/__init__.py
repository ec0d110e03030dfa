# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Figures for plotly as plain documents; plotly itself is asked only for the script that draws them."""
