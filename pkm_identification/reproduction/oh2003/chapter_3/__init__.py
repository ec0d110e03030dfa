# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Chapter 3: the double inverted pendulum on a cart, identified from a free fall (3.3-3.5, Tables 3.1 and 3.2).

Of the text: the true lengths and masses, a first guess of ones, 20 s at 1 kHz, LS, EKF and UKF (alpha 1e-4, beta 2,
kappa 3 - L), noise of 1 % of a signal's range; the axes of figures 3.3 and 3.6. Ours: where the pendulum is released,
the accelerations as output (the residual of the equations of motion is best satisfied by no masses), the filters' noise
and first standard deviations, the rate of Robbins-Monro, an iteration read as a sample. Table 3.2 is not recoverable.
"""
