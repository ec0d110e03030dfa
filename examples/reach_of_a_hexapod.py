# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
Where can a hexapod go?
=======================

A pose is in reach when all six struts are within their limits. ``pkm workspace`` does this for whole volumes; here is
one slice, level, at the height of home and above.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

machine = pkm.load_machine("uf")
home = machine.home_position
side = np.linspace(-0.25, 0.25, 101)
x, z = np.meshgrid(side, home[2] + side)
position = np.stack([x.ravel(), np.full(x.size, home[1]), z.ravel()], axis=1)
orientation = np.tile([0.0, 0.0, 0.0, 1.0], (x.size, 1))
lengths = pkm.inverse(machine, position, orientation)
low, high = machine.length_limits
used = (lengths - low) / (high - low)
worst = np.minimum(used, 1.0 - used).min(axis=1).reshape(x.shape)  # below 0: out of reach
print(f"{100 * np.mean(worst > 0):.0f} % of the slice is in reach")

# %%
# Colour: how far the nearest strut is from its end, as a part of its stroke.

figure, axis = plt.subplots(figsize=(6, 5), layout="constrained")
filled = axis.contourf(1e3 * x, 1e3 * z, np.where(worst > 0, worst, np.nan), levels=12, cmap="viridis")
axis.contour(1e3 * x, 1e3 * z, worst, levels=[0.0], colors="k")
axis.plot(1e3 * home[0], 1e3 * home[2], "w+", markersize=12)
axis.set(xlabel="x / mm", ylabel="z / mm", aspect="equal")
figure.colorbar(filled, label="stroke that remains")

plt.show()
