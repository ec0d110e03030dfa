# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm export of a mechanism: MJCF, or its own description."""

from __future__ import annotations

import argparse
import sys

from pkm_identification.errors import SettingsError
from pkm_identification.exporting.formats import MECHANISM_FORMATS, format_of, mechanism_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.records.atomic import write_text

from .arguments import refuse_for_mechanism


def export(options: argparse.Namespace) -> int:
    """Write the mechanism.

    Raises
    ------
    SettingsError
        If the format is none of a mechanism's, or an option is a hexapod's.
    """
    refuse_for_mechanism(options, estimate="--estimate", cures="--cures", set="--set")
    form = options.format or format_of(options.out)
    if form not in MECHANISM_FORMATS:
        asked = f"--format {options.format}" if options.format else f"--out {options.out}, without --format"
        raise SettingsError(f"{asked}: a mechanism is written as {' or '.join(MECHANISM_FORMATS)}")
    mechanism = Mechanism.load(options.machine)
    text = mechanism_text(mechanism, form)
    if options.out == "-":
        sys.stdout.write(text)
        return 0
    write_text(options.out, text)
    print(f"{options.out}: {mechanism.name}, {form}", file=sys.stderr)
    return 0
