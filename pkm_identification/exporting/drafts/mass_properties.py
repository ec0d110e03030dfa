# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Mass, centre of mass and inertia of a body as CAD programs print them: SolidWorks, Onshape and their like."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

from pkm_identification.errors import DocumentError, SettingsError
from pkm_identification.numerics.arrays import FloatArray

from .graph import CAD, Link

STDIN = "-"
_MOST_BYTES = 2**20
_POUND_KG, _INCH_M = 0.45359237, 0.0254  # exact by definition
_SLUG_KG = _POUND_KG * 9.80665 / (12 * _INCH_M)
_MASSES = {
    **dict.fromkeys(("kg", "kilogram", "kilograms"), 1.0),
    **dict.fromkeys(("g", "gram", "grams"), 1e-3),
    **dict.fromkeys(("mg", "milligram", "milligrams"), 1e-6),
    **dict.fromkeys(("t", "tonne", "tonnes"), 1e3),
    **dict.fromkeys(("lb", "lbs", "lbm", "pound", "pounds"), _POUND_KG),
    **dict.fromkeys(("slug", "slugs"), _SLUG_KG),
}
_LENGTHS = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), 1.0),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), 1e-2),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), 1e-3),
    **dict.fromkeys(("in", "inch", "inches"), _INCH_M),
    **dict.fromkeys(("ft", "foot", "feet"), 12 * _INCH_M),
}
_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_TENSOR = ("xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz")
_TOLERANCE = 1e-3  # of the largest moment: printed digits


def read_mass_properties(path: str, name: str) -> Link:
    """Return the body that a text describes, in SI units, in the coordinate system that the text was printed for.

    Products of inertia are printed by some programs as sums of x y m, and by others as elements of the tensor, which
    are the negative of these. Which it is follows from moments about the origin or from principal axes where the text
    has them, else from its words ("positive tensor notation" are sums).

    Parameters
    ----------
    path : str
        Of the text; `-` is the standard input.
    name : str
        Of the body.

    Raises
    ------
    DocumentError
        If the text cannot be read, has not all of it, or is no body's: one line with what is missing.
    """
    text = _read(path)
    if re.search(r"=\s*-?\d+,\d", text):
        raise DocumentError(f"{path}: has decimal commas: print it with decimal points")
    mass = re.search(
        rf"^\W*mass\W*?(?:\(\s*([a-z]+)\s*\))?\s*[=:]\s*{_NUMBER}[ \t]*([a-z]*)", text, re.I | re.M
    )
    if mass is None:
        raise DocumentError(f"{path}: has no line 'Mass = ...'")
    kilograms = float(mass[2]) * _unit(path, "mass", mass[1] or mass[3], _MASSES)
    if not kilograms > 0.0:
        raise DocumentError(f"{path}: mass {mass[2]} must be more than zero")
    center = _center(path, text)
    about_center, about_origin = _tensor(path, text, "L"), _tensor(path, text, "I")
    if about_center is None and about_origin is None:
        raise DocumentError(f"{path}: has no moments of inertia Lxx, Lxy, ... (or Ixx, Ixy, ...)")
    shift = kilograms * (center @ center * np.eye(3) - np.outer(center, center))
    sign = _sign(text, about_center, about_origin, shift)
    if about_center is not None:
        inertia = _with_sign(about_center, sign)
    else:
        assert about_origin is not None
        inertia = _with_sign(about_origin, sign) - shift
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < 0.0 or moments[0] + moments[1] < moments[2] * (1 - _TOLERANCE):
        raise DocumentError(
            f"{path}: no body has principal moments of {', '.join(f'{one:.4g}' for one in moments)} kg m^2"
        )
    return Link(name, kilograms, center, inertia, CAD)


def replace_body(text: str, body: Link) -> str:
    """Return the text of a first machine file with this body in place of the guessed one of its name.

    Raises
    ------
    SettingsError
        If it has no such body.
    """
    rows = body.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    center, inertia = (", ".join(f"{one:.9g}" for one in values) for values in (body.center, rows))
    keys = [f"known: {CAD}", f"mass: {body.mass:.9g}", f"center_of_mass: [{center}]", f"inertia: [{inertia}]"]
    # a hexapod's platform is a section, a body of other kinds a line among the bodies
    section = re.search(rf"^{re.escape(body.name)}:\n(?:[ #].*\n)+", text, re.M)
    line = re.search(rf"^  {re.escape(body.name)}: \{{mass: .*\}}$", text, re.M)
    if section is not None:
        made = "\n  ".join([f"{body.name}:", *(_with_points(key) for key in keys)]) + "\n"
        return text[: section.start()] + made + text[section.end() :]
    if line is not None:
        return text[: line.start()] + f"  {body.name}: {{{', '.join(keys)}}}" + text[line.end() :]
    bodies = re.findall(r"^  (\w+): \{mass: ", text, re.M) or re.findall(r"^(platform):$", text, re.M)
    raise SettingsError(f"--mass-properties: '{body.name}' is no body; expected one of {', '.join(bodies)}")


def _with_points(line: str) -> str:
    """Return a line with numbers as YAML reads them: 5e-05 as 5.0e-05."""
    return re.sub(r"(?<![\w.])(-?\d+)(?=e[-+]\d)", r"\1.0", line)


def _read(path: str) -> str:
    try:
        content = sys.stdin.buffer.read(_MOST_BYTES + 1) if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror or error}") from None
    if len(content) > _MOST_BYTES:
        raise DocumentError(f"{path}: is longer than {_MOST_BYTES // 2**20} MB")
    return content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")


def _unit(path: str, what: str, word: str | None, units: dict[str, float]) -> float:
    found = units.get((word or "").lower())
    if found is None:
        raise DocumentError(
            f"{path}: unit '{word or ''}' of the {what} is not known; expected {', '.join(units)}"
        )
    return found


def _center(path: str, text: str) -> FloatArray:
    """Return the centre of mass (3,), m."""
    head = re.search(r"cent(?:er|re) of (?:mass|gravity)", text, re.I)
    if head is None:
        raise DocumentError(f"{path}: has no centre of mass")
    part = text[head.start() : head.start() + 400]
    heading = re.match(r"[^\n=]*?\(\s*([a-z]+)\s*\)", part, re.I)
    center = []
    for axis in "XYZ":
        found = re.search(rf"\b{axis}\s*[=:]\s*{_NUMBER}[ \t]*([a-z]*)", part, re.I)
        if found is None:
            raise DocumentError(f"{path}: the centre of mass has no {axis}")
        unit = heading[1] if heading else found[2]
        center.append(float(found[1]) * _unit(path, "centre of mass", unit, _LENGTHS))
    return np.array(center)


def _tensor(path: str, text: str, letter: str) -> FloatArray | None:
    """Return the moments called by a letter and two axes as printed (3, 3), kg m^2; None where there are none."""
    found = re.search(rf"\b{letter}xx\s*[=:]\s*{_NUMBER}([^\n,;]*)", text)
    if found is None:
        return None
    headings = re.findall(r"moments? of inertia[^\n(]*\(([^)\n]*)\)", text[: found.start()], re.I)
    own = re.match(rf"\s*([a-z][^=:\n]*?)(?=\s+{letter}[xyz]{{2}}|$)", found[2], re.I)
    words = re.findall(r"[a-z]+", (own[1] if own else headings[-1] if headings else "").lower())
    words = [word for word in words if word not in ("square", "x")]
    if len(words) != 2:
        raise DocumentError(f"{path}: the moments {letter}xx, ... have no unit such as g mm^2")
    factor = _unit(path, "moments", words[0], _MASSES) * _unit(path, "moments", words[1], _LENGTHS) ** 2
    values = {}
    for key in _TENSOR:
        one = re.search(rf"\b{letter}{key}\s*[=:]\s*{_NUMBER}", text)
        if one is not None:
            values[key] = factor * float(one[1])
    rows = [[values.get(a + b, values.get(b + a)) for b in "xyz"] for a in "xyz"]
    missing = [
        f"{letter}{a}{b}"
        for a, row in zip("xyz", rows, strict=True)
        for b, x in zip("xyz", row, strict=True)
        if x is None
    ]
    if missing:
        raise DocumentError(f"{path}: has {letter}xx but no {missing[0]}")
    return np.array(rows, dtype=float)


def _with_sign(printed: FloatArray, sign: float) -> FloatArray:
    """Return the inertia tensor, its products those that are printed times a sign."""
    return np.asarray(np.where(np.eye(3, dtype=bool), printed, sign * printed))


def _sign(
    text: str, about_center: FloatArray | None, about_origin: FloatArray | None, shift: FloatArray
) -> float:
    """Return 1 where products are printed as elements of the tensor, -1 where they are sums of x y m."""
    across = ~np.eye(3, dtype=bool)
    if about_center is not None and about_origin is not None:
        step = (about_origin - about_center)[across]
        if np.abs(shift[across]).max() > _TOLERANCE * np.abs(np.diag(about_origin)).max():
            return float(np.sign(step @ shift[across])) or 1.0
    printed = about_center if about_center is not None else about_origin
    axes = re.findall(
        rf"\bI[xyz]\s*=\s*\(\s*{_NUMBER}\s*,\s*{_NUMBER}\s*,\s*{_NUMBER}\s*\)\s*P[xyz]\s*=\s*{_NUMBER}", text
    )
    if about_center is not None and printed is not None and len(axes) == 3:
        rows = np.array(axes, dtype=float)
        tensor = rows[:, :3].T @ np.diag(rows[:, 3]) @ rows[:, :3]
        if np.abs(tensor[across]).max() > _TOLERANCE * np.abs(rows[:, 3]).max():
            return float(np.sign(tensor[across] @ printed[across])) or 1.0
    if re.search(r"negative tensor notation", text, re.I):
        return 1.0
    return -1.0 if re.search(r"taken at|positive tensor notation", text, re.I) else 1.0
