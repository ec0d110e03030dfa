# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
From a log to numbers
=====================

A hexapod whose machine file holds guesses (``data/my_hexapod.yaml``, written by ``pkm init``: a disc as platform, rods
as struts, no friction), and twenty seconds of its strut lengths and forces at 250 Hz (``data/log.csv.gz``; simulated,
so that the truth is known).
The command is ``pkm identify log.csv.gz --machine my_hexapod.yaml``.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

result = pkm.identify("data/log.csv.gz", "data/my_hexapod.yaml", validate="data/log_to_validate.csv.gz")
print(result)

# %%
# The first line is the verdict. Each value has a standard deviation: what the log leaves open (*data*) and what the
# machine file may have wrong (*file*). The status says which of them decides. Friction, strut by strut:

table = {name: np.asarray(column) for name, column in result.table().items()}
struts = np.arange(1, 7)


def of_struts(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Estimates and standard deviations of a friction coefficient of the six struts."""
    rows = [int(np.flatnonzero(table["name"] == f"{kind}_{strut}")[0]) for strut in struts]
    return table["value"][rows].astype(float), table["std"][rows].astype(float)


figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
for axis, kind, unit in zip(axes, ("viscous", "coulomb"), ("N s/m", "N")):
    value, std = of_struts(kind)
    axis.bar(struts, value, yerr=3 * std, capsize=3, color="#4878a8")
    axis.set(xlabel="strut", ylabel=f"{kind} friction / {unit}")
figure.suptitle("Strut 4 has most friction: estimates with three standard deviations")

# %%
# The other log was not used for the fit. How well its forces are predicted, and how the file's own values would do:

forecast = result.validation
print(
    f"identified: {forecast.rms_percent_total:.2f} % rms error, the file as it was: {forecast.nominal_percent:.0f} %"
)

plt.show()
