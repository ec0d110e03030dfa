# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
What a motion shows
===================

A motion identifies what it excites. The built-in machine ``uf`` moves along one axis, then in all six freedoms; the
parameters that each of them identifies are compared. Before an experiment ``pkm identifiability --trajectory`` says
the same, and ``pkm excite`` makes a motion that shows more.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

results = {}
for motion, seconds in (("z", None), ("rich", 20.0)):
    log = pkm.simulate("uf", motion, duration=seconds, perturb=0.1, noise=0.005, seed=3)
    results[motion] = pkm.identify(log, "uf", estimator="ls")

# %%
# Along z nothing turns: moments of inertia cannot be told. A value is given only where the motion identifies it; the
# value of a parameter that stays unknown is NaN, not the value of the machine file.

for motion, result in results.items():
    table = result.table()
    hidden = [str(name) for name, value in zip(table["name"], table["value"]) if np.isnan(value)]
    print(f"{motion}: {len(table['name']) - len(hidden)} of {len(table['name'])} identified")
    print(f"   not alone: {', '.join(hidden) or '-'}")
    for name, value, std in zip(*(result.combinations()[key] for key in ("name", "value", "std"))):
        print(f"   {name} = {value:.4g} ± {std:.2g}")

# %%
# Standard deviations relative to the value, on a logarithmic axis: the shorter the bar, the better known.

names = [str(name) for name in results["rich"].table()["name"]]
figure, axis = plt.subplots(figsize=(9, 3.2), layout="constrained")
for shift, (motion, result) in zip((-0.2, 0.2), results.items()):
    table = result.table()
    relative = 100.0 * table["std"] / np.abs(table["value"])
    axis.bar(np.arange(len(names)) + shift, relative, width=0.4, label=motion)
axis.set(yscale="log", ylabel="standard deviation / %", xlim=(-1, len(names)))
axis.set_xticks(range(len(names)), names, rotation=60, ha="right")
axis.legend(title="motion")

plt.show()
