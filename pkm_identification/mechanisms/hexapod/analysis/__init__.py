# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What makes up a motion's strut forces, and what errors of the model do to them."""
