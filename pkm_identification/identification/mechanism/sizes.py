# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Physical scales of the friction of drives: what a deviation is small beside where a value is near zero.

They are a share of a drive's typical force; never what would make all of the force, which a log that hardly moves a
body makes as large as one likes. Those of bodies are `mechanisms.multibody.extents.inertial_sizes`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pkm_identification.estimation.equations import Equations
from pkm_identification.parameters.parameter_set import ParameterSet

FRICTION_SHARE = 0.1  # of a drive's typical force: friction below a tenth of it is small


def with_friction_sizes(parameters: ParameterSet, equations: Equations) -> ParameterSet:
    """Return the set with physical scales of its drives' friction.

    A coefficient's is its value in the file, or the one that makes FRICTION_SHARE of its drive's rms force at the
    drive's rms rate.
    """
    force = np.sqrt(np.mean(equations.force**2, axis=0))
    entries = list(parameters.entries)
    for k, entry in enumerate(entries):
        if entry.kind.friction and entry.limb is not None:
            felt = np.sqrt(np.mean(equations.regressor[:, entry.limb, k] ** 2))
            share = FRICTION_SHARE * force[entry.limb] / felt if felt > 0.0 else 0.0
            entries[k] = replace(entry, size=max(abs(entry.nominal), float(share)))
    return replace(parameters, entries=tuple(entries))
