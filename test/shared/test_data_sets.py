# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The logs of simulated machines beside the repository: identified twice over, and consistent with each other.

Their true parameters are not known here, so every check sets one result against another.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from pkm_identification.errors import LogError
from pkm_identification.identification.identify import identify, validate
from pkm_identification.identification.result import Identification
from pkm_identification.identification.settings import Settings
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.motion import DriveLog
from pkm_identification.records.log import read_log

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

pytestmark = [
    pytest.mark.usefixtures("unjudged"),
    pytest.mark.skipif(
        not (DATA / "set_a" / "machine.yaml").is_file(),
        reason=f"the data sets are not beside the repository ({DATA})",
    ),
]


@lru_cache
def machine(name: str) -> Machine:
    return Machine.load(DATA / f"set_{name}" / "machine.yaml")


@lru_cache
def read(name: str, log: str) -> DriveLog:
    return read_log(DATA / f"set_{name}" / f"{log}.csv.gz", machine(name))


@lru_cache
def identified(name: str, logs: tuple[str, ...], estimator: str, causal: bool = False) -> Identification:
    settings = Settings.of(estimator=estimator, causal=causal)
    return identify([read(name, log) for log in logs], machine(name), settings)


def deviation(a: Identification, b: Identification) -> np.ndarray:
    """Difference of two estimates in standard deviations of the second."""
    return np.abs(a.estimate.values - b.estimate.values) / b.estimate.std


def test_set_a_predicts_the_forces_of_another_motion():
    result = validate(identified("a", ("rich",), "ukf"), read("a", "rich2"))
    assert result.validation.rms_percent_total < 0.4
    assert np.all(result.validation.rms_percent < 0.6)
    assert result.converged
    status = dict(zip(result.estimate.names, result.estimate.status, strict=True))
    for name in ("m_p", "m_b", "m_e", "Ixx_p", "Iyy_p", "Izz_p", "It_b+It_e"):
        assert status[name] == "identifiable", name
    assert all(
        status[f"{kind}_{i}"] == "identifiable" for kind in ("viscous", "coulomb") for i in range(1, 7)
    )


def test_least_squares_and_ukf_agree_within_a_standard_deviation():
    ls, ukf = (identified("a", ("rich",), estimator) for estimator in ("ls", "ukf"))
    assert deviation(ukf, ls).max() < 1.0
    # and claim about the same: neither is many times surer than the other
    ratio = ukf.estimate.std / ls.estimate.std
    assert np.all((ratio > 0.5) & (ratio < 2.0))


def test_set_c_deviations_are_not_those_of_a_cutoff_its_encoders_do_not_bear():
    """A refit at 135 Hz, where 10 um encoders round the rates, made viscous_3 uncertain by 16 N s/m."""
    estimate = identified("c", ("rich",), "ls").estimate
    viscous = [k for k, name in enumerate(estimate.names) if name.startswith("viscous")]
    assert np.all(estimate.std[viscous] < 0.05 * estimate.values[viscous])
    # nor are they too narrow: another motion agrees
    other = identified("c", ("rich2",), "ls").estimate
    assert np.all(np.abs(estimate.values - other.values) < 4 * np.hypot(estimate.std, other.std))


# of a strut that dwells near the friction law's bend, what rounding does to friction is taken off offline, and most of
# the systematic part with it
def test_a_causal_run_states_deviations_as_an_offline_one():
    offline, online = identified("a", ("rich",), "ukf"), identified("a", ("rich",), "ukf", True)
    ratio = online.estimate.std / offline.estimate.std
    assert np.all((ratio > 0.6) & (ratio < 3.0))
    assert 0.8 < np.median(ratio) < 1.25
    assert deviation(offline, online).max() < 2.0  # in those stated sample by sample
    assert online.delay > 0


def test_set_a_another_motion_gives_the_same_machine():
    first, second = identified("a", ("rich",), "ls"), identified("a", ("rich2",), "ls")
    spread = np.hypot(first.estimate.std, second.estimate.std)
    assert np.all(np.abs(first.estimate.values - second.estimate.values) < 4 * spread)


@pytest.mark.parametrize("logs", [("rich_faulty_part1", "rich_faulty_part2"), ("rich_faulty",)])
def test_set_a_damaged_log_gives_nearly_the_same(logs):
    good, bad = identified("a", ("rich",), "ls"), identified("a", logs, "ls")
    assert deviation(bad, good).max() < 3.0
    for reason in ("not_finite", "duplicate", "late", "spike", "gap"):
        assert bad.dropped[reason] > 0, reason
    assert ("repeated_header" in bad.dropped) == (logs == ("rich_faulty",))


def test_set_a_both_forms_of_the_damaged_log_hold_the_same_faults():
    two, one = (
        identified("a", ("rich_faulty_part1", "rich_faulty_part2"), "ls"),
        identified("a", ("rich_faulty",), "ls"),
    )
    for reason in ("not_finite", "duplicate", "late", "spike"):
        assert two.dropped[reason] == one.dropped[reason]


@pytest.mark.parametrize("log", ["xy", "slow"])
def test_set_a_poor_motions_never_show_platform_moments(log):
    estimate = identified("a", (log,), "ls").estimate
    rich = identified("a", ("rich",), "ls").estimate
    for name in ("Ixx_p", "Iyy_p", "Izz_p"):
        assert estimate.shown(name) is None, name
    # what is called shown agrees with what the rich motion shows, and is no wild number
    for k, (name, status) in enumerate(zip(estimate.names, estimate.status, strict=True)):
        if status == "identifiable":
            spread = np.hypot(estimate.std[k], rich.std[k])
            assert abs(estimate.values[k] - rich.values[k]) < 5 * spread, name
            assert estimate.values[k] > 0, name


def test_set_a_free_fall_is_too_short_and_says_so():
    with pytest.raises(LogError, match="longer uninterrupted log"):
        identified("a", ("free",), "ls")


def test_set_b_without_noise_is_predicted_almost_exactly():
    result = validate(identified("b", ("rich",), "ls"), read("b", "rich2"))
    assert result.validation.rms_percent_total < 1e-3
    assert set(result.estimate.status) == {"identifiable"}


def test_set_b_masses_are_repeatable():
    """Between motions and estimators: far below the 0.1 % that is wanted."""
    results = [
        identified("b", (log,), e).estimate for log, e in (("rich", "ls"), ("rich", "ukf"), ("rich2", "ls"))
    ]
    for other in results[1:]:
        relative = np.abs(other.values[:7] / results[0].values[:7] - 1)
        assert np.all(relative[[0, 1, 2, 6]] < 3e-4), relative
        assert np.all(relative[3:6] < 1e-3), relative


def test_set_b_estimators_agree_far_below_what_is_wanted():
    """Its standard deviations are parts in a million, where weights and rounding differ between estimators."""
    ls, ukf = (identified("b", ("rich",), estimator).estimate for estimator in ("ls", "ukf"))
    relative = np.abs(ukf.values[:8] / ls.values[:8] - 1)
    assert relative.max() < 1e-4, relative


def test_set_b_has_no_friction():
    """Nothing is invented: friction stays at zero within what was resolved."""
    result = identified("b", ("rich",), "ls").estimate
    coulomb = [k for k, name in enumerate(result.names) if name.startswith("coulomb")]
    assert np.abs(result.values[coulomb]).max() < 0.01
