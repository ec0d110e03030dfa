# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Descriptions that come with the package, and whether a name or file is a hexapod's or another mechanism's."""

from __future__ import annotations

from pathlib import Path

from pkm_identification.document import YAML_ENDINGS, read_yaml
from pkm_identification.errors import DocumentError


def builtin_files(folder: str) -> dict[str, Path]:
    """Paths of the descriptions in a folder of `config/` (`machines`, `mechanisms`), by name."""
    package = Path(__file__).resolve().parents[1]
    for place in (package / "config" / folder, package.parent / "config" / folder):
        if place.is_dir():
            return {path.stem: path for path in sorted(place.glob("*.yaml"))}
    return {}


def is_mechanism(name_or_path: str | Path) -> bool:
    """Whether a name or a file is a mechanism's and not a hexapod's; a file that cannot be read is not."""
    path = Path(name_or_path)
    if path.suffix not in YAML_ENDINGS:
        return str(name_or_path) in builtin_files("mechanisms")
    try:
        document = read_yaml(path, "machine file", numbers_as_text=True)
    except DocumentError:
        return False
    return isinstance(document, dict) and "kind" in document
