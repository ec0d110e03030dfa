# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""
When the machine file is wrong
==============================

Platform joints that lie 3 % too far out are neither refused without a word nor absorbed into the masses: the data
contradict the file, and the keys that disagree are named.
"""

import copy

import matplotlib.pyplot as plt
import numpy as np

import pkm_identification as pkm

log = pkm.simulate("uf", "rich", duration=10.0, seed=5)
right = pkm.identify(log, "uf")
print(right.answer.verdict.sentence)

# %%
# The same log with a file whose platform joints lie 3 % farther out:

document = copy.deepcopy(pkm.load_machine("uf").document)
joints = np.array(document["geometry"]["platform_joints"])
joints[:, :2] *= 1.03
document["geometry"]["platform_joints"] = joints.tolist()
wrong = pkm.identify(log, pkm.Machine.from_document(document))
print(wrong.answer.verdict.sentence)

# %%
# How far the data put each number of the file from what it states, in standard deviations. The first to be named are
# zeros of the encoders: joints that lie too far out make lengths wrong in much the same way, and the file states the
# zeros more precisely than this log can separate the two.

figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
for shift, (name, result) in zip((-0.2, 0.2), (("right", right), ("3 % too large", wrong))):
    conflicts = result.answer.verdict.conflicts[:6]
    axis.barh(np.arange(len(conflicts)) + shift, [abs(one.deviations) for one in conflicts], 0.4, label=name)
    axis.set_yticks(range(len(conflicts)), [one.key for one in conflicts])
axis.set(xlabel="deviations from the file")
axis.legend(title="platform joints")

plt.show()
