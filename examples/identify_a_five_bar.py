# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
A five-bar from a first file to numbers
=======================================

``pkm init five_bar.yaml --kind five-bar`` writes a machine file whose numbers are guesses (``machines/five_bar.yaml``).
The real machine here is a simulated one with heavier arms and friction, so that the truth is known.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

guess = Path("machines/five_bar.yaml").read_text(encoding="utf-8")
real = guess.replace("crank_mass: 0.6", "crank_mass: 0.7").replace("rod_mass: 0.4", "rod_mass: 0.5")
real = real.replace("viscous: [0, 0]", "viscous: [0.4, 0.5]").replace(
    "coulomb: [0, 0]", "coulomb: [0.2, 0.3]"
)
with TemporaryDirectory() as folder:
    file = Path(folder) / "real.yaml"
    file.write_text(real, encoding="utf-8")
    log = pkm.simulate(file, "rich", duration=15.0, noise=0.01, seed=1)

result = pkm.identify(log, "machines/five_bar.yaml")
print(result)

# %%
# Masses of a linkage are identifiable in sums. The table above says which sum each name stands for; the status says
# whether the log or the file decided the value. Friction came out as it was simulated:

table = result.table()
friction = [k for k, name in enumerate(table["name"]) if name.startswith(("viscous", "coulomb"))]
names, values, std = (np.asarray(table[column])[friction] for column in ("name", "value", "std"))
figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
axis.errorbar(range(len(names)), values, yerr=2 * std, fmt="o", capsize=4, label="estimate ± 2 std")
axis.plot(range(len(names)), [0.4, 0.5, 0.2, 0.3], "x", color="#c24f00", label="simulated")
axis.set_xticks(range(len(names)), names)
axis.set(ylabel="N m s/rad, N m")
axis.legend()

plt.show()
