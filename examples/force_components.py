# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
Which part of the force is what?
================================

The force of a strut is the sum of gravity, inertia, what depends on velocities, and friction. Switching one off at a
time shows how much each of them is in a given motion.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

machine = pkm.load_machine("uf")
time = np.linspace(0.0, 2.0, 801)
wave, rate = 0.05, 2 * np.pi  # m, rad/s


def vertical_motion(speed: float) -> pkm.PlatformMotion:
    """A vertical sine of 50 mm at `speed` times 1 Hz."""
    pulsation = speed * rate
    shape = np.zeros((len(time), 3))
    position, velocity, acceleration = (
        shape + machine.home_position,
        np.zeros((len(time), 6)),
        np.zeros((len(time), 6)),
    )
    position[:, 2] += wave * np.sin(pulsation * time)
    velocity[:, 2] = wave * pulsation * np.cos(pulsation * time)
    acceleration[:, 2] = -wave * pulsation**2 * np.sin(pulsation * time)
    rotation = np.tile(machine.home_rotation, (len(time), 1, 1))
    return pkm.PlatformMotion(time, position, rotation, velocity, acceleration)


motion = vertical_motion(1.0)
still = pkm.PlatformMotion(time, motion.position, motion.rotation, 0 * motion.twist, 0 * motion.acceleration)
whole = pkm.forces(machine, motion)[:, 0]
gravity = pkm.forces(machine, still, friction=False)[:, 0]
rigid = pkm.forces(machine, motion, friction=False)[:, 0]
components = {"gravity": gravity, "inertia and velocity": rigid - gravity, "friction": whole - rigid}
for name, force in components.items():
    print(f"{name:21s} {np.sqrt(np.mean(force**2)):7.1f} N rms")

# %%
# Their time histories in strut 1:

figure, axis = plt.subplots(figsize=(9, 3.4), layout="constrained")
axis.plot(time, whole, color="0.6", linewidth=3, label="sum")
for name, force in components.items():
    axis.plot(time, force, label=name)
axis.set(xlabel="time / s", ylabel="force / N")
axis.legend(ncols=4)

plt.show()
