# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Chapter 4: the UF machine identified from simulated data (Tables 4.1 to 4.16, figures 4.5 to 4.42).

Of the text: X, Z, XY and free fall; 12 parameters without friction, 24 with that of Table 4.1; force and energy model;
no noise, 1 and 5 %; data in sequence, at random, spread; the UKF with the process noise of Robbins and Monro. Ours: the
first guess (masses within the axes of the figures, inertias the round numbers that the results sit on, friction 90 %),
first standard deviations, trust in exact data, rate of Robbins-Monro, two periods of data, places of the joints on the
sides and centres of mass of the strut bodies. `source_tables` has every legible number with its mark.
"""
