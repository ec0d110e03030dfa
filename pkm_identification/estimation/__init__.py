# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Estimation: a problem (parameters, prior, equations, noise), the estimators that take it, the estimate they give.

No mechanism is known here; what moves, and what its parameters mean, comes with the `ParameterSet`.

- `problem`, `equations`, `estimate`: what goes in, and what comes out;
- `batch`, `filters`: estimators that take all equations at once, or one after the other; `estimators` names them;
- `identifiability`: what the data identify, alone and in combination; base parameters;
- `consistency`: parameters that some rigid body can have;
- `convergence`, `change_detection`: whether an estimate has converged, and whether the machine has changed.
"""
