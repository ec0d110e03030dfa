# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""pkm contributions of a mechanism: what its driven forces are made of, drive by drive."""

from __future__ import annotations

import argparse

import numpy as np

from pkm_identification.mechanisms.multibody.contributions import drive_shares
from pkm_identification.mechanisms.multibody.groups import drive_groups
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.mechanisms.multibody.series import series_motion
from pkm_identification.report.drive_contributions import drive_shares_document, drive_shares_table

from .named_motion import PERIOD, motion_document
from .results import output_folder, present, write_figures

OWN = "motion"  # what the description's own motion is called


def contributions(options: argparse.Namespace) -> int:
    """Shares over a generated motion, or the description's own where none is named."""
    mechanism = Mechanism.load(options.machine)
    name = options.trajectory or OWN
    if options.trajectory is None and mechanism.description.motion is not None:
        motion = series_motion(mechanism)
    else:
        # MuJoCo takes longer to load than the study to run
        from pkm_identification.simulation.multibody.motions import generated, own_motion

        path = generated(name, mechanism) if options.trajectory else own_motion(mechanism)
        motion = path.motion(mechanism, np.arange(0.0, path.duration, PERIOD))
    shares = drive_shares(drive_groups(mechanism, motion, friction=not options.no_friction))
    document = {
        **motion_document(mechanism.name, name, options),
        **drive_shares_document(mechanism, shares),
    }
    # files first: nothing is printed when one cannot be written
    if options.out:
        from pkm_identification.report.figures.mechanism_contributions import drive_shares_figure

        figure = drive_shares_figure(
            mechanism, shares, f"{mechanism.name}, {name}: what the driven forces are"
        )
        write_figures(output_folder(options.out), {f"contributions_{name}": figure})
    tables = (drive_shares_table(mechanism, shares), drive_shares_table(mechanism, shares, spread=True))
    present("\n\n".join(map(str, tables)), document, options.json)
    return 0
