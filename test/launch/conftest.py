# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Launch files with the real launch system; skipped as a whole where it is not installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import ros.domains  # noqa: F401  (sets the domain of what is launched)

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

try:
    import launch_ros  # noqa: F401
    import launch_testing  # noqa: F401
    from ament_index_python.packages import get_package_share_directory

    get_package_share_directory("pkm_identification")
    MISSING = ""
except ImportError as error:
    MISSING = f"ROS 2's launch system is not installed: {error}"
except LookupError:
    MISSING = "this package is not installed for ROS 2 (AMENT_PREFIX_PATH does not lead to it)"


class _Missing(pytest.Module):
    def collect(self):
        pytest.skip(MISSING, allow_module_level=True)


# first, because what is chosen with -m goes by the markers
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("launch_files")


# first, because launch_testing would load the module to see whether it is one of its own
@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path, parent):
    return _Missing.from_parent(parent, path=module_path) if MISSING else None
