# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Logs of real robots beside the repository: what independent motions of one arm tell of it agrees."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from pkm_identification.estimation.identifiability import IDENTIFIABLE
from pkm_identification.estimation.statuses import is_known
from pkm_identification.identification.identify import identify
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import FULL, Settings
from pkm_identification.machines.multibody import Multibody
from pkm_identification.mechanisms.multibody.mechanism import Mechanism
from pkm_identification.records.log import read_log

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "real"
MOTIONS = ("motion_20s", "motion_30s", "motion_40s")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (DATA / "ur10e" / "machine.yaml").is_file(),
        reason=f"the real robots' logs are not beside the repository ({DATA})",
    ),
]


@lru_cache
def found(motion: str, estimator: str) -> Identification:
    mechanism = Mechanism.load(DATA / "ur10e" / "machine.yaml")
    log = read_log(DATA / "ur10e" / f"{motion}.csv.gz", Multibody(mechanism).drives)
    result = identify([log], mechanism, Settings.of(estimator=estimator))
    assert result.dropped["resampled"] > 1000
    return result


def test_three_motions_of_an_arm_agree_within_their_deviations():
    differences = []
    for first, second in combinations(MOTIONS, 2):
        a, b = ({one.name: one for one in found(motion, FULL).answer.values} for motion in (first, second))
        # what the file says is the same in all three
        differences += [
            (a[name].value - b[name].value) / np.hypot(a[name].data_std, b[name].data_std)
            for name in a
            if name in b and is_known(a[name].status) and is_known(b[name].status)
        ]
    assert len(differences) > 20
    # Deviations have what parts of a motion disagree about, too, which the three motions largely share: .65.
    assert 0.4 < np.sqrt(np.mean(np.square(differences))) < 1.5


def test_a_fit_of_few_parameters_to_an_arm_is_refused():
    result = found("motion_30s", "ls")
    assert not result.trusted
    assert IDENTIFIABLE not in result.estimate.status


@pytest.mark.usefixtures("unjudged")
@pytest.mark.parametrize(
    ("arm", "log", "also", "late"),
    [
        # inertia of the motors, which the file leaves out, hides a part of the delay: 2 to 8 ms without it, 8.4, 12.3
        # and 11.1 ms (+- 2.3 to 4.4) with it in the three motions
        ("ur10e", "motion_30s", ("motor_inertia", "force_delay"), {"force_delay": (7e-3, 14e-3)}),
        (
            "panda", "excitation", ("force_delay", "force_delay_7", "friction_asymmetric_6"),
            {
                "force_delay": (3e-3, 8e-3), "force_delay_angle_7": (27e-3, 37e-3),
                "friction_asymmetric_angle_6": (0.05, 0.09),
            },
        ),
    ],
)  # fmt: skip
def test_what_an_arm_has_besides_is_estimated_with_it(arm, log, also, late):
    """The causes that others confirmed: torques 10 ms late; torque_7 about 38 ms, friction of torque_6 by .07 N m."""
    mechanism = Mechanism.load(DATA / arm / "machine.yaml")
    read = read_log(DATA / arm / f"{log}.csv.gz", Multibody(mechanism).drives)
    plain, besides = (
        identify([read], mechanism, Settings.of(estimator="ls", also=one)) for one in ((), also)
    )
    assert besides.converged
    # drive by drive: the largest torques are those of joints that have nothing besides
    assert np.mean(besides.residual_rms / plain.residual_rms) < 0.99
    assert besides.validation.rms_percent_total < 1.02 * plain.validation.rms_percent_total
    values = dict(zip(besides.parameters.names, besides.estimate.values, strict=True))
    for name, (low, high) in late.items():
        assert low < values[name] < high
