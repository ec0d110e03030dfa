# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""rosbag2 recordings: read, written, and recovered where one was cut off."""

ROS_1 = ".bag"  # a recording of ROS 1: read, not written
STRUT_STATES = "strut_states"
MOTOR_STATES = "motor_states"  # the same by encoders on the motors, of drives that have one on either side
BAG_FILES = (".db3", ".mcap")  # of rosbag2
