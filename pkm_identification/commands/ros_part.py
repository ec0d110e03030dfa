# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What the commands say that need ROS 2 where it is not installed."""

from __future__ import annotations

from importlib.util import find_spec

from pkm_identification.errors import PkmError


def require_ros() -> None:
    """Raise PkmError, which says how to get it, unless rclpy can be imported."""
    if find_spec("rclpy") is None:
        raise PkmError(
            "needs ROS 2: install the package with its ROS part, pip install '.[ros]', or source a workspace"
        )
