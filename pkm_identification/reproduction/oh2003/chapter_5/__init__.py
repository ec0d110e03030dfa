# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Chapter 5: friction and inertia in stages (1-A to 3) from three trajectories, and the cross-check of starts.

Of the text: the stages, the trajectories X, Z and XY, the low-pass at 10 Hz on lengths and forces, struts without spin,
Tables 5.1 to 5.3 as far as they are legible. Ours: the experiments, which are simulated (a machine up to 19 % off its
file, universal joints, sensor noise), a first guess within 10 % of the file, first variances, the noise, the rate of
the equations. A simulation has friction that is the same in every motion: what the real machine did beyond that, it
cannot tell.
"""
