# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Chapter 3: the double inverted pendulum on a cart, identified from a free fall (3.3-3.5, Tables 3.1 and 3.2).

Of the text: the true lengths and masses, a first guess of ones, 20 s at 1 kHz, LS, EKF and UKF (alpha 1e-4, beta 2,
kappa 3 - L), noise of 1 % of a signal's range; the axes of figures 3.3 and 3.6. Ours: where the pendulum is released,
the accelerations as output (the residual of the equations of motion is best satisfied by no masses), the filters' noise
and first standard deviations, the rate of Robbins-Monro, an iteration read as a sample. Table 3.2 is not recoverable.
"""
