# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Chapter 4: the UF machine identified from simulated data (Tables 4.1 to 4.16, figures 4.5 to 4.42).

Of the text: X, Z, XY and free fall; 12 parameters without friction, 24 with that of Table 4.1; force and energy model;
no noise, 1 and 5 %; data in sequence, at random, spread; the UKF with the process noise of Robbins and Monro. Ours: the
first guess (masses within the axes of the figures, inertias the round numbers that the results sit on, friction 90 %),
first standard deviations, trust in exact data, rate of Robbins-Monro, two periods of data, places of the joints on the
sides and centres of mass of the strut bodies. `source_tables` has every legible number with its mark.
"""
