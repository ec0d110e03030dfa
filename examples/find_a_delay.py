# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
A delay between force and length
================================

Currents often arrive some milliseconds later than lengths. Nobody has to know: the delay is one of the effects that are
estimated with the parameters, and it is named in the result.
"""

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

delays = np.array([0.0, 1.0, 2.0, 4.0])  # ms
found, std = [], []
for delay in delays:
    log = pkm.simulate("uf", "rich", duration=10.0, seed=2, faults=[f"force_delay={1e-3 * delay}"])
    answer = pkm.identify(log, "uf").answer
    effects = {one.name: one for one in answer.effects}
    common = next((one for name, one in effects.items() if name.startswith("force_delay")), None)
    print(f"{delay:.0f} ms: {answer.verdict.sentence}  {', '.join(effects) or 'no effect found'}")
    found.append(common.value if common else 0.0)
    std.append(common.std if common else 0.0)

# %%
# Found over simulated delay. Values are in the unit that the result states:

unit = common.unit if common else "s"
figure, axis = plt.subplots(figsize=(5, 3.2), layout="constrained")
axis.errorbar(delays, found, yerr=2 * np.array(std), fmt="o", capsize=4)
axis.plot(delays, delays * (1e-3 if unit == "s" else 1.0), color="0.6", zorder=0)
axis.set(xlabel="simulated delay / ms", ylabel=f"found delay / {unit}")

plt.show()
