# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""How well places of joints and zeros of encoders are usually known."""

from __future__ import annotations

from .records import DEFAULT

# Of the machine's size: .1 mm in a machine of .7 m
PLACES = {"measured": 0.5e-4, "cad": 1.5e-4, DEFAULT: 1.5e-4, "guessed": 1.5e-3}
