# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The paper on the 3PRS multi-axial simulation table: three belt axes with cascaded control, a module for each study.

Our copy is damaged: equations 1 to 3, 15 and 27 are missing, exponents of its table of actuator data are not legible,
and amplitudes, units, platform inertia, pitch and the motor's electrical data are not in it.
"""
