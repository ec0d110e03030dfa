# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What logs look like next to the model that was identified from them, for people: only a report asks for it."""
