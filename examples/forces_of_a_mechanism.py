# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
Forces of a mechanism with loops
================================

Mechanisms are described, not programmed: bodies, joints and drives in a YAML file (``docs/mechanisms.md``). ``mast`` is
a shaker table on three inclined struts with sliders. Its outputs are a height and two angles; here the table heaves
and tilts, and the three sliders have to deliver these forces.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

mechanism = pkm.load_machine("mast")
print(mechanism.output_names)

time = np.linspace(0.0, 1.0, 401)
amplitude = np.array([0.02, np.radians(4.0), np.radians(3.0)])  # m, rad, rad
pulsation = 2.0 * np.pi * np.array([2.0, 3.0, 3.0])
phase = pulsation * time[:, None]
outputs = np.array([0.4, 0.0, 0.0]) + amplitude * np.sin(phase)
rate = amplitude * pulsation * np.cos(phase)
acceleration = -amplitude * pulsation**2 * np.sin(phase)

motion = pkm.output_motion(mechanism, outputs, rate, acceleration)
force = pkm.forces(mechanism, motion)

figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
axis.plot(time, force, label=[f"slider {k}" for k in (1, 2, 3)])
axis.set(xlabel="time / s", ylabel="force / N", xlim=(0, 1))
axis.legend(ncols=3)

# %%
# Which of its 70 inertial parameters do these forces depend on, and in which combinations? In exact arithmetic: 19.
# (``pkm base-parameters --machine mast`` prints them.) The regressor of this one motion shows them more or less well:

from pkm_identification.mechanisms.multibody import dynamics  # noqa: E402

regressor = dynamics.regressor(mechanism, motion).reshape(-1, 70)
values = np.linalg.svd(regressor, compute_uv=False)

figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
axis.semilogy(np.arange(1, 71), values / values[0], ".")
axis.axvline(19.5, color="0.6")
axis.set(xlabel="number", ylabel="singular value, relative")

plt.show()
