# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""The ROS domain of this process's tests: the run's own, and one further for each worker of pytest-xdist.

Importing it sets `ROS_DOMAIN_ID`, so that processes started by tests are on the same domain.
"""

from __future__ import annotations

import os

_RUN = int(os.environ.get("ROS_DOMAIN_ID", os.getpid() % 90 + 11))
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
DOMAIN = _RUN + _WORKER
os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
