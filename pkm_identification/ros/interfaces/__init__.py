# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What the nodes publish, take and offer, declared once: pages and SROS 2 policies are made of it."""
