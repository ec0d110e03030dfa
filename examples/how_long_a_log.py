# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
How long must a log be?
=======================

Standard deviations fall with the square root of the time, as long as the motion stays as rich; what the machine file
may have wrong does not fall at all. Both parts are in the result.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

seconds = (5.0, 10.0, 20.0)
names = ("h_b", "viscous_1", "coulomb_1")
data, file = ({name: [] for name in names} for _ in range(2))
for duration in seconds:
    log = pkm.simulate("uf", "rich", duration=duration, perturb=0.1, seed=4)
    values = {one.name: one for one in pkm.identify(log, "uf").answer.values}
    for name in names:
        data[name].append(100 * values[name].data_std / abs(values[name].value))
        file[name].append(100 * values[name].file_std / abs(values[name].value))
    print(
        f"{duration:4.0f} s: "
        + ", ".join(f"{name} {data[name][-1]:.2g} % + {file[name][-1]:.2g} %" for name in names)
    )

# %%
# The part of the data (solid) and the part of the file (dashed):

figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained")
for name, color in zip(names, ("#0072b2", "#d55e00", "#009e73")):
    axis.loglog(seconds, data[name], "o-", color=color, label=name)
    axis.loglog(seconds, file[name], "--", color=color)
axis.loglog(
    seconds, data[names[0]][0] * np.sqrt(seconds[0] / np.array(seconds)), color="0.7", label="1/sqrt(time)"
)
axis.set_xticks(seconds, [f"{one:g}" for one in seconds])
axis.minorticks_off()
axis.set(xlabel="length of the log / s", ylabel="standard deviation / %")
axis.legend()

plt.show()
