# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Section 2.4: what the strut forces are made of, and what a wrong centre of mass does to them (2.76-2.89, Table 2.2).

Of the text: three machines (UF, Hexel, Ford) in the 18 motions of Table 2.2 and in motions scaled for each, struts
without spin, no friction, the UF machine with the inertias of this section; mean and variation norms over the struts
(2.76-2.88); mass ratio and geometry varied apart; six statements on means, seven on variations. Ours, as the recovered
text does not say: the places of the joints on the sides, the centres of mass of the strut bodies, size and home of
Hexel and Ford (those of the built-in files); motions without beginning or end; how the scaled motions share amplitude
and offset; the formula behind the sensitivities (means over a motion, because forces pass through zero); "very small"
as less than 5 %.
"""
