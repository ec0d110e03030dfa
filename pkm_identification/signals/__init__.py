# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Signals: drive conversion, input validation, low-pass filters and differences."""
