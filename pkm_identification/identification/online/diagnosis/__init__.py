# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whether what is learned from a stream can be believed: does the model fit, is the machine possible?"""
