# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Tests are found where pytest has plugins of its own for launch files, as with `colcon test`."""

from __future__ import annotations

from pathlib import Path

import pytest


class Loading:
    """Loads what it is given, as launch_testing does."""

    def pytest_pycollect_makemodule(self, module_path):
        raise AssertionError(f"{module_path.name} was loaded under its name alone")


@pytest.fixture
def collected(request):
    """What a file becomes beside such a plugin."""
    plugins, here = request.config.pluginmanager, Path(__file__)
    plugins.register(Loading(), "loading")
    yield lambda path: request.session.gethookproxy(here).pytest_pycollect_makemodule(
        module_path=path, parent=request.node.getparent(pytest.Module).parent
    )
    plugins.unregister(name="loading")


def test_files_are_collected_by_pytest_alone(collected):
    assert isinstance(collected(Path(__file__)), pytest.Module)


def test_launch_files_are_left_to_their_plugin(collected):
    launch = Path(__file__).parents[2] / "launch" / "test_simulate_launch.py"
    with pytest.raises(AssertionError, match="loaded"):
        collected(launch)
