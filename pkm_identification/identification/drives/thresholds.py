# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Constants that decide what is said of drives' numbers."""

# Relative standard deviation of what a file says of its drives: wrong by a factor of two is nothing unusual
PRIOR_WIDTH = 0.7
# Relative standard deviation up to which a number counts as identified, and share of the prior's
MAX_RELATIVE_DEVIATION = 0.25
# Correlation from which on two numbers are known as a combination alone
MIN_CORRELATION = 0.9
# Residual over noise from which on the model does not fit, as everywhere
MAX_RESIDUAL_RATIO = 1.35
# Part of a channel's range that noise is at least taken for: what the rigid machine of the file leaves out is no less
MIN_NOISE_SHARE = 2e-4
# Change of a number, relative, of which the response's change is taken
RELATIVE_STEP = 2e-3
# Part of its value by which the mass that a drive feels may change on the way before it is said
MAX_MASS_CHANGE = 0.02
# Stamps may differ by so much of a period from an even clock
MAX_JITTER = 0.01
# A step that the last one promised, in deviations, below which an iteration that stalls is at its end
MAX_LAST_STEP = 0.3
