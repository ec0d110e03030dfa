# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Studies of files, computed once for all tests."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from pkm_identification.reproduction import STUDIES
from pkm_identification.reproduction.study_file import has_file

PACKAGES = {name: f"pkm_identification.reproduction.{one.module}" for name, one in STUDIES.items()}
OF_FILES = [name for name, package in PACKAGES.items() if has_file(package)]


@cache
def compute_study(name):
    return import_module(f"{PACKAGES[name]}.runs").run_study()
