# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""What a study hands back: a text for people, a document for programs, and figures for those who ask."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Outcome:
    """A finished study.

    Attributes
    ----------
    text : str
        Title, notes, tables and verdicts, as the terminal shows them.
    document : dict
        The numbers, fit for JSON: no value that is not finite.
    figures : callable
        Draws the figures and returns them by file name (without ending). Called only when they are wanted, as
        matplotlib takes longer to load than many a study to run.
    """

    text: str
    document: dict[str, Any]
    figures: Callable[[], dict[str, Figure]]
