# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a stage of the pipeline has to say about a sample besides its output."""

from __future__ import annotations

from typing import NamedTuple


class StageEvent(NamedTuple):
    """Why a sample was left out, or a stage began anew.

    Attributes
    ----------
    reason : str
        Name of a counter.
    text : str
        A sentence for people.
    """

    reason: str
    text: str
