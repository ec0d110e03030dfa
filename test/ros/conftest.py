# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Real nodes over real DDS on a domain of their own; skipped as a whole where ROS 2 is not installed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ros.domains import DOMAIN

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
# rclpy does not look at what is assigned to a message unless told to
os.environ.setdefault("ROS_PYTHON_CHECK_FIELDS", "1")

try:
    import rclpy  # noqa: F401

    import pkm_identification.msg  # noqa: F401

    MISSING = ""
except ImportError as error:
    MISSING = f"ROS 2 with this package's messages is not installed (pip install '.[ros]'): {error}"


class _Missing(pytest.Module):
    def collect(self):
        pytest.skip(MISSING, allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    return _Missing.from_parent(parent, path=module_path) if MISSING else None


# first, because what is chosen with -m goes by the markers
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("ros")


@pytest.fixture
def bench():
    """Context, helper node and executor on the test's domain; see `ros_bench.Bench`."""
    from ros.ros_bench import Bench

    with Bench(DOMAIN) as made:
        yield made


@pytest.fixture(scope="session")
def domain():
    """Domain of the tests, for processes."""
    return DOMAIN
