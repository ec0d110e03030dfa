# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The Stewart-Gough hexapod: the compiled special case."""
