# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Every number of the page that agrees is computed once more by a script of its own in a test, named here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pkm_identification.reproduction import STUDIES

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "reproduction.md"
ARM, SERVO = "machielsen1983/test_arm_study.py", "machielsen1983/test_servo_studies.py"
MAST, BASE = "mast/test_mast_studies.py", "iriarte2017/test_base_parameter_study.py"
TWO, THREE = "oh2003/chapter_2/test_contribution_study.py", "oh2003/chapter_3/test_pendulum_study.py"
FOUR, FIVE = "oh2003/chapter_4/test_simulation_study.py", "oh2003/chapter_5/test_staged_study.py"
LAWS = "../control/test_mechanism_laws.py"
# of each study: beginnings of numbers' names, and the test that has their own computation
CHECKS = {
    "oh2003-contributions": {
        "M|V": (TWO, "test_norms_are_those_of_kanes_equations"),
        "Centre of mass": (TWO, "test_the_weights_direction_matters_least_by_kanes_equations"),
        "Special|General": (
            "../mechanisms/hexapod/kinematics/assembly/test_complex_modes.py",
            "test_the_special_one_has_eight_on_each_side_of_its_base",
        ),
    },
    "oh2003-pendulum": {
        "Table|EKF|UKF|Range": (THREE, "test_the_texts_equations_give_the_ranges_and_the_lengths")
    },
    "oh2003-simulation": {
        "Table 4.4|No friction|Energy: ": (FOUR, "test_ranks_are_those_of_the_digest"),
        "Noise|Energy worse": (FOUR, "test_the_texts_noise_on_the_states_alone"),
        "Spread|Z and free": (FOUR, "test_order_is_of_no_account_without_process_noise"),
    },
    "oh2003-staged": {
        "5.4": (FIVE, "test_friction_of_the_joints_raises_that_of_the_struts_in_kind"),
        "2-A": (FIVE, "test_2a_is_1a_again_with_cad_held_and_not_with_the_previous"),
        "Figs|3": (FIVE, "test_all_at_once_converges_to_scale_and_not_without"),
    },
    "epaas-arm": {
        "CJA|15|Coupling|Mode": (ARM, "test_masses_coupling_and_modes_are_those_of_the_thesis_equations"),
        "Effective": (ARM, "test_effective_masses_are_those_of_the_thesis_equations"),
        "T_|F_|Parts|Velocity": (ARM, "test_forces_by_cause_are_those_of_the_thesis_equations"),
    },
    "epaas-servo": {
        "t_|valve|c_o|1/c|B": (SERVO, "test_identification_from_the_raw_data"),
        "steps": (SERVO, "test_four_steps_of_the_rig_are_those_of_its_equations"),
        "sign|sens|the same": (SERVO, "test_sensitivities_are_those_of_its_equations"),
        "order|delays": (SERVO, "test_order_and_the_reduced_model"),
    },
    "epaas-robot": {
        "order|delays": (SERVO, "test_order_and_the_reduced_model"),
        "L|first peaks": (SERVO, "test_steps_of_the_robot_are_those_of_one_cylinder_and_its_mass"),
    },
    "mast-dynamics": {
        "the same": (MAST, "test_readings_of_the_jacobians_are_those_of_the_loops"),
        "the force": (MAST, "test_drives_carry_the_weight_and_printed_signs_are_wrong"),
    },
    "mast-response": {
        "z": (MAST, "test_the_machines_loops_are_the_printed_ones"),
        "Fig. 3: w": (LAWS, "test_in_the_workspace_a_platform_goes_straight_and_as_the_gain_says"),
        "Fig. 3: c": (LAWS, "test_the_error_obeys_its_equation_within_a_thousandth"),
    },
    "mast-torque": {"the file|torque": (MAST, "test_friction_is_hidden_by_position_and_shown_by_torque")},
    "iriarte2017-base-parameters": {
        "suspension": (BASE, "test_the_rules_give_the_text_s_tables"),
        "four-bar|forced": (BASE, "test_four_bars_by_equations_of_their_own"),
    },
    "ebrahimi2009-units": {
        "columns|any": (
            "ebrahimi2009/test_units_study.py",
            "test_groups_and_their_decomposition_are_those_of_numpy",
        )
    },
}


def list_claims(study):
    """Names of the page's numbers of a study that agree, in part or in kind, too."""
    page = PAGE.read_text(encoding="utf-8").replace("\\_", "_")
    section = re.search(rf"^## {study}:.*?(?=^## |\Z)", page, re.M | re.S).group(0)
    return re.findall(r"^\| (.*?) \| .*\| agrees[a-z ]* \|[^|]*\|$", section, re.M)


@pytest.mark.parametrize("study", STUDIES)
def test_every_claim_has_a_computation_of_its_own(study):
    claims, checks = list_claims(study), CHECKS[study]
    assert claims
    for name in claims:
        assert [one for one in checks if re.match(one, name)], name
    for beginning, (file, test) in checks.items():
        assert any(re.match(beginning, name) for name in claims), beginning
        assert f"def {test}(" in (HERE / file).read_text(encoding="utf-8"), test
