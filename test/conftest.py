"""The order of the tests: what is fast first, then the longest files, so that two workers end together.

Under xdist a file stays with one worker (`--dist loadfile`: logs and fits that its tests share are made once), and
workers take files in this order (`--no-loadscope-reorder`; pytest-xdist's own goes by the number of tests).
"""

from __future__ import annotations

import pytest

# Longest first; those not named follow, each a few seconds.
LONGEST = (
    "test_installation.py",
    "test_dual_identification.py",
    "test_fit_watch.py",
    "test_extended.py",
    "test_report_folder.py",
    "test_joint_filter.py",
    "test_efficiency.py",
    "test_deviations.py",
    "test_online_uncertainty.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files without slow tests, then the longest, then the others; as collected otherwise."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}

    def place(item: pytest.Item) -> int:
        if item.path.name in LONGEST:
            return 1 + LONGEST.index(item.path.name)
        return 1 + len(LONGEST) if item.path in slow else 0

    items.sort(key=place)
