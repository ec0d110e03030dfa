"""Sentences of a diagnosis: sizes with their sense, struts in words."""

from __future__ import annotations

import pytest

from pkm_identification.identification.diagnosis.findings import Cause
from pkm_identification.report.diagnosis import sentence


@pytest.mark.parametrize(
    ("name", "value", "unit", "expected"),
    [
        ("force_delay", 2e-3, "s", "The force comes 2.000 ± 0.010 ms late"),
        ("force_delay_2", -2e-3, "s", "The force of strut 2 comes 2.000 ± 0.010 ms early"),
        ("friction_stribeck", 0.4, "", "larger by 0.400000 ± 0.000010 of Coulomb friction"),
        ("friction_stribeck", -0.4, "", "smaller by 0.400000 ± 0.000010 of Coulomb friction"),
        ("friction_asymmetric_6", -0.1, "", "of strut 6 is larger moving in than out, by 0.10000"),
        ("force_offset_3", -4.0, "N", "The force of strut 3 is off by -4.000000 ± 0.000010 N"),
    ],
)
def test_a_size_is_said_with_its_sense(name, value, unit, expected):
    assert expected in sentence(Cause(name, value, 1e-5, unit, 0.99, "Mend it"))
    assert "that explains 99 % of the misfit. Mend it." in sentence(
        Cause(name, value, 1e-5, unit, 0.99, "Mend it")
    )
