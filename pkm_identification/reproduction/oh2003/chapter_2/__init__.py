"""Section 2.4: what the strut forces are made of, and what a wrong centre of mass does to them (2.76-2.89, Table 2.2).

Of the text: three machines (UF, Hexel, Ford) in the 18 motions of Table 2.2, struts without spin, no friction, the UF
machine with the inertias of this section; eight findings in prose. Ours, as the recovered text does not say: the places
of the joints on the sides, the centres of mass of the strut bodies, size and home of Hexel and Ford (those of the
built-in files); motions without beginning or end; the formula behind the shares and sensitivities (means over a motion,
because forces pass through zero); "very small" as less than 5 %.
"""
