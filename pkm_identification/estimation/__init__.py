# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Estimation: a problem (parameters, prior, equations, noise), the estimators that take it, the estimate they give.

No mechanism is known here; what moves, and what its parameters mean, comes with the `ParameterSet`.

- `problem`, `equations`, `estimate`: what goes in, and what comes out;
- `batch`, `filters`: estimators that take all equations at once, or one after the other; `estimators` names them;
- `identifiability`: what the data identify, alone and in combination; base parameters;
- `consistency`: parameters that some rigid body can have;
- `convergence`, `change_detection`: whether an estimate has converged, and whether the machine has changed.
"""
