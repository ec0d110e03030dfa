# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mass properties as CAD programs print them: units, signs of products, what is missing."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

from pkm_identification.cli import main
from pkm_identification.errors import DocumentError
from pkm_identification.exporting.drafts.mass_properties import read_mass_properties
from pkm_identification.machines.load import load_machine

MASS, CENTER = 4.2, np.array([0.012, -0.008, 0.025])
TENSOR = np.array([[0.0202, -0.0031, 0.0008], [-0.0031, 0.0248, 0.0015], [0.0008, 0.0015, 0.0409]])
MM, GRAM = 1e-3, 1e-3


def tensor_lines(letter, tensor, sign):
    """Lines of a tensor, off-diagonal elements times a sign, in g mm^2."""
    rows = np.where(np.eye(3, dtype=bool), tensor, sign * tensor) / (GRAM * MM**2)
    return "\n".join(
        "\t" + "\t".join(f"{letter}{a}{b} = {rows[i, j]:.2f}" for j, b in enumerate("xyz"))
        for i, a in enumerate("xyz")
    )


def solid_works(sign, origin=True, axes=True, notation=""):
    """As SolidWorks prints it: products as sums of x y m (-1) or as elements of the tensor (1)."""
    about_origin = TENSOR + MASS * (CENTER @ CENTER * np.eye(3) - np.outer(CENTER, CENTER))
    moments, turn = np.linalg.eigh(TENSOR)
    principal = "\n".join(
        f"\t I{n} = ({', '.join(f'{x: .2f}' for x in turn[:, k])})   \tP{n} = {moments[k] / (GRAM * MM**2):.2f}"
        for k, n in enumerate("xyz")
    )
    head = "Moments of inertia: ( grams *  square millimeters )\nTaken at the "
    text = f"""Mass properties of plate
     Configuration: Default
     Coordinate system: frame

Density = 0.00270 grams per cubic millimeter

Mass = {MASS / GRAM:.2f} grams

Volume = 1555740.74 cubic millimeters

Center of mass: ( millimeters )
\tX = {CENTER[0] / MM:.4f}
\tY = {CENTER[1] / MM:.4f}
\tZ = {CENTER[2] / MM:.4f}

"""
    if axes:
        text += (
            "Principal axes of inertia and principal moments of inertia: ( grams *  square millimeters )\n"
        )
        text += f"Taken at the center of mass.\n{principal}\n\n"
    text += f"{head}center of mass and aligned with the output coordinate system. {notation}\n"
    text += tensor_lines("L", TENSOR, sign) + "\n\n"
    if origin:
        text += f"{head}output coordinate system. {notation}\n{tensor_lines('I', about_origin, sign)}\n"
    return text


ONSHAPE = f"""Mass: {MASS} kg
Volume: 1.5e6 mm^3
Center of mass
X: 12 mm
Y: -8 mm
Z: 25 mm
Moments of inertia
Lxx: {TENSOR[0, 0] * 1e9:.1f} g mm^2\tLxy: {TENSOR[0, 1] * 1e9:.1f} g mm^2\tLxz: {TENSOR[0, 2] * 1e9:.1f} g mm^2
Lyy: {TENSOR[1, 1] * 1e9:.1f} g mm^2\tLyz: {TENSOR[1, 2] * 1e9:.1f} g mm^2
Lzz: {TENSOR[2, 2] * 1e9:.1f} g mm^2
"""


@pytest.mark.parametrize(
    "text",
    [
        *(solid_works(sign) for sign in (-1, 1)),
        *(solid_works(sign, origin=False) for sign in (-1, 1)),
        solid_works(-1, origin=False, axes=False, notation="(Using positive tensor notation.)"),
        solid_works(1, origin=False, axes=False, notation="(Using negative tensor notation.)"),
        solid_works(-1, origin=False, axes=False),
        ONSHAPE,
        ONSHAPE.replace(" kg", " kilograms").replace("g mm^2", "g\u00b7mm\u00b2"),
    ],
)
def test_a_body_is_read_whatever_the_sign_of_its_products(text, tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(text, encoding="utf-8")
    body = read_mass_properties(str(path), "plate")
    assert body.mass == pytest.approx(MASS, rel=1e-6)
    np.testing.assert_allclose(body.center, CENTER, atol=1e-7)
    np.testing.assert_allclose(body.inertia, TENSOR, atol=1e-7)


def test_other_units(tmp_path):
    path = tmp_path / "x.txt"
    text = ONSHAPE.replace(f"{MASS} kg", "10 lb").replace(" mm\n", " in\n").replace("g mm^2", "lb in^2")
    path.write_text(text, encoding="utf-8")
    body = read_mass_properties(str(path), "plate")
    assert body.mass == pytest.approx(4.5359237)
    assert body.center[0] == pytest.approx(12 * 0.0254)
    assert body.inertia[0, 0] == pytest.approx(TENSOR[0, 0] * 1e9 * 0.45359237 * 0.0254**2)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no line 'Mass"),
        (ONSHAPE.replace(" kg", " stone"), "unit 'stone' of the mass"),
        (ONSHAPE.replace("Center of mass", "Middle"), "no centre of mass"),
        (ONSHAPE.replace("Z: 25 mm", ""), "has no Z"),
        (re.sub("L..:", "", ONSHAPE), "no moments of inertia"),
        (ONSHAPE.replace("Lyz:", ""), "Lxx but no Lyz"),
        (ONSHAPE.replace(f"{TENSOR[0, 0] * 1e9:.1f}", "1.0"), "no body has principal moments"),
        (ONSHAPE.replace("g mm^2", ""), "no unit such as"),
        (solid_works(1).replace("X = 12.0", "X = 12,0"), "decimal commas"),
    ],
)
def test_what_is_missing_is_said_in_one_line(text, says, tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DocumentError, match=re.escape(says)) as error:
        read_mass_properties(str(path), "plate")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        "--kind delta --mass-properties platform=-",
        "--radius-base .4 --radius-platform .25 --angles-base 20 --angles-platform 15 --height .5 --mass-properties -",
    ],
)
def test_pasted_properties_are_the_platforms(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(solid_works(-1).encode())))
    assert main(["init", "x.yaml", *options.split()]) == 0
    one = load_machine("x.yaml")
    platform = next(body for body in one.knowledge.bodies if body.name == "platform")
    assert platform.mass.how == "cad"
    values = {entry.name: entry.nominal for entry in one.basis}
    mass = values.get("m_platform", values.get("m_p"))
    assert mass == pytest.approx(MASS)
