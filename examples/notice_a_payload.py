# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
Notice a payload
================

Two logs of one machine, the second with 1.5 kg more on its platform. Each is identified by itself; what changed by more
than its deviations is what was added.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

empty = pkm.simulate("uf", "rich", duration=10.0, seed=6)
loaded_machine = pkm.load_machine("uf")
loaded_machine = pkm.Machine.from_document(
    {
        **loaded_machine.document,
        "platform": {**loaded_machine.document["platform"], "mass": loaded_machine.platform.mass + 1.5},
    }
)
loaded = pkm.simulate(loaded_machine, "rich", duration=10.0, seed=7)
first, second = (pkm.identify(log, "uf") for log in (empty, loaded))

# %%
# What the file may have wrong is the same in both logs and does not count for the difference: only noise does.

before, after = ({one.name: one for one in result.answer.values} for result in (first, second))
names = [name for name in before if not name.startswith(("viscous", "coulomb"))]
change = np.array([after[name].value - before[name].value for name in names])
std = np.array([np.hypot(after[name].data_std, before[name].data_std) for name in names])
for name, value, width in zip(names, change, std):
    print(f"{name:6s} {value:+9.4f} ± {width:.4f} {before[name].unit}")

figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
axis.bar(names, change / std, color="#0072b2")
axis.axhspan(-2, 2, color="0.9", zorder=0)
axis.set(ylabel="change / standard deviation")

plt.show()
