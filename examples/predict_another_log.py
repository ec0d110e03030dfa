# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
Predict forces of another log
=============================

The best test of a model is motion that it has not seen. The hexapod of ``data/`` was identified from one log; here the
forces of the other one are predicted, strut by strut.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

result = pkm.identify("data/log.csv.gz", "data/my_hexapod.yaml")
prediction = result.predict("data/log_to_validate.csv.gz")
print(
    f"identified: {prediction.rms_percent_total:.2f} % of the force; machine file: {prediction.nominal_percent:.0f} %"
)

# %%
# Measured and predicted force of strut 4, which has most friction, and the error below on the same scale:

strut = 3
time = prediction.time - prediction.time[0]
figure, (above, below) = plt.subplots(2, 1, figsize=(9, 4.5), sharex=True, sharey=True, layout="constrained")
above.plot(time, prediction.measured[:, strut], color="0.6", linewidth=3, label="measured")
above.plot(time, prediction.predicted[:, strut], color="#0072b2", linewidth=1, label="predicted")
above.legend()
below.plot(time, prediction.measured[:, strut] - prediction.predicted[:, strut], color="#c24f00")
above.set(ylabel="force / N")
below.set(xlabel="time / s", ylabel="error / N")
print(f"root mean square error by strut: {np.round(prediction.rms[1], 2)} N")

plt.show()
