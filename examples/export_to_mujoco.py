# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
Give the identified machine to MuJoCo
=====================================

``pkm export`` and ``pkm.export`` write URDF, SDF, MJCF, C and machine files. Here an identified hexapod becomes a
MuJoCo model, and the forces that hold it at home are computed.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import mujoco
import numpy as np

import pkm_identification as pkm

result = pkm.identify("data/log.csv.gz", "data/my_hexapod.yaml")
machine = result.machine_identified()
path = pkm.export(machine, "identified.xml")
model = mujoco.MjModel.from_xml_path(str(path))
path.unlink()
print(f"{model.nbody} bodies, {model.nu} actuators, {sum(model.body_mass):.2f} kg in MuJoCo")

# %%
# The forces that hold the platform at home, by this package; their vertical parts carry the weight:

rest = np.zeros((1, 6))
home = pkm.PlatformMotion(np.zeros(1), machine.home_position[None], machine.home_rotation[None], rest, rest)
force = pkm.forces(machine, home, friction=False)[0]
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
axis.bar(np.arange(1, 7), force, color="#0072b2")
axis.set(xlabel="strut", ylabel="holding force / N")
print(f"holding forces: {np.round(force, 2)} N")
assert not Path("identified.xml").exists()

plt.show()
