# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a name or a file describes: a hexapod or another mechanism."""

from __future__ import annotations

from pathlib import Path

from ..builtin import MECHANISM, find_kind
from ..hexapod.machine import Machine
from .mechanism import Mechanism


def load_description(name_or_path: str | Path) -> Machine | Mechanism:
    """Return a built-in machine by its name, or one from a file, which `kind` or its keys tell apart.

    Raises
    ------
    MachineError
        If there is none, or its description cannot be used.
    """
    return (Mechanism if find_kind(name_or_path) == MECHANISM else Machine).load(name_or_path)
