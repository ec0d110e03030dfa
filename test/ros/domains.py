# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The ROS domain of this process's tests: the run's own, and one further for each worker of pytest-xdist.

Importing it sets `ROS_DOMAIN_ID`, so that processes started by tests are on the same domain.
"""

from __future__ import annotations

import os

_RUN = int(os.environ.get("ROS_DOMAIN_ID", os.getpid() % 90 + 11))
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
DOMAIN = _RUN + _WORKER
os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
