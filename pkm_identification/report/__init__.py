# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The result of an identification for people: tables for a terminal, sentences, figures and a page."""
