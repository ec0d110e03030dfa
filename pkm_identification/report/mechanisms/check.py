# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Findings on a log of drives: whether the model fits, in the words of mechanisms. Importing it registers them."""

from __future__ import annotations

from typing import Any

from pkm_identification.identification.mechanism.estimate_file import fit_document
from pkm_identification.identification.mechanism.result import MechanismIdentification

from ..check import build_fit_entry, describe_fit
from .sentences import fit_sentence


@describe_fit.register
def _(result: MechanismIdentification) -> list[str]:
    return [fit_sentence(result)]


@build_fit_entry.register
def _(result: MechanismIdentification) -> dict[str, Any]:
    return fit_document(result)
