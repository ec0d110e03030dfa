# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Forces that act at the struts from measured ones, and lengths of the struts from encoders elsewhere."""
