# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Machine files as they were met in the field: what is in another unit is refused with it, what is possible loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.multibody.loading import load_description
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

CASES = Path(__file__).resolve().parents[3] / "shared" / "data" / "cases"
WRONG = {
    "uf_strut_com_150": ("strut.body_e.center_of_mass", "mm?"),
    "uf_gravity_mm": ("gravity", "mm/s^2?"),
    "uf_mass_g": ("platform.mass", "; g?"),
    "uf_platform_com_35": ("platform.center_of_mass", "mm"),
    "uf_inertia_kgmm2": ("platform.inertia", "kg mm^2"),
    "fivebar_limits": ("drives.q_l.limits", "deg(60)"),
}

pytestmark = pytest.mark.skipif(
    not CASES.is_dir(), reason=f"the field's cases are not beside the repository ({CASES})"
)


@pytest.mark.parametrize("name", WRONG)
def test_a_number_in_another_unit_is_refused_with_the_unit(name):
    key, unit = WRONG[name]
    with pytest.raises(MachineError) as caught:
        load_description(CASES / f"{name}.yaml")
    assert key in str(caught.value)
    assert unit in str(caught.value)


def test_all_other_files_load():
    data = CASES.parent
    files = [
        *CASES.glob("*.yaml"),
        *CASES.glob("*/*.yaml"),
        *data.glob("set_*/*.yaml"),
        *data.glob("real/*/*.yaml"),
    ]
    right = [path for path in files if path.stem not in WRONG]
    assert len(right) > 20
    for path in right:
        assert load_description(path)


def test_the_five_bar_stands_upright_whether_its_motors_are_guessed_or_not():
    made = [Mechanism.load(CASES / f"fivebar_{name}.yaml") for name in ("ok", "guess")]
    upright = [one.joints_at_home["elbow_r"][0] for one in made]
    assert upright[0] > 0
    assert upright[1] == pytest.approx(upright[0], abs=1e-9)
