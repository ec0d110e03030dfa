# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""State and parameters of a machine estimated together; nothing is differentiated. See docs/dual.md."""

# Names for the command line; here, so that naming them loads no kernel.
FORMS = {
    "joint": "state and parameters in one filter, no differentiation (offline)",
    "dual": "the same in a state and a parameter filter (offline)",
}
