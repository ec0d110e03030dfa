# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
An estimate that grows with the log
===================================

A running machine is identified sample by sample. A recursive estimator does the same with a log, and keeps the
estimates of every instant.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

log = pkm.simulate("uf", "rich", duration=15.0, perturb=0.2, seed=8)
result = pkm.identify(log, "uf", estimator="rls")
trace = result.trace()
print(f"{len(trace['time'])} instants; by the full model: {result.answer.verdict.sentence}")

# %%
# Platform mass and the friction of strut 1 over time; what is known at the end is the dashed line:

table = dict(zip(result.table()["name"], result.table()["value"]))
figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for axis, name, unit in zip(axes, ("viscous_1", "coulomb_1"), ("N s/m", "N")):
    final = table[name]
    axis.plot(trace["time"] - trace["time"][0], trace[name], color="#0072b2")
    axis.axhline(final, color="0.5", linestyle="--")
    axis.set(
        xlabel="time / s",
        ylabel=f"{name} / {unit}",
        ylim=(min(0, 1.5 * final), 1.8 * abs(final) + np.spacing(1)),
    )

plt.show()
