# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

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
