# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Places in the arrays that kernels share: a model's tables (`structure.model`) and the state of its frames."""

# Columns of a model's frames, velocities and rows.
PARENT, KIND, AXIS, SIGN, COORDINATE, VELOCITY = range(6)
HOLDER, ROTATES, SCALAR = range(3)
ROW_KIND, FRAME_A, FRAME_B, TURNS = range(4)
POINT_A, POINT_B, DIRECTION_A, DIRECTION_B, NUMBERS = range(5)
# A frame's state is (8, 3), ground axes: three rows of its rotation, its origin, angular velocity and acceleration,
# velocity and acceleration of the origin.
ORIGIN, OMEGA, ALPHA, SPEED, SECOND = range(3, 8)
STATE = 8
