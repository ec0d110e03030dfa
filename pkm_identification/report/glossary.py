# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What parameters mean: the rows of a report, and docs/glossary.md.

Written by `python -m pkm_identification.report.glossary > docs/glossary.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.hexapod.parameters.builder import BODY_B, BODY_E, STRUT
from pkm_identification.mechanisms.hexapod.parameters.sets import NAMES, list_hexapod_parameters
from pkm_identification.motion import STRUTS
from pkm_identification.parameters.parameter import Kind, Parameter

from .listing import Listing

BODIES = {
    BODY_B: "body B (base half of a strut)",
    BODY_E: "body E (platform half of a strut)",
    STRUT: "strut (bodies B and E)",
    "motor": "motor (its turning parts)",
}
_MOMENTS = {
    "Ixx": "moment of inertia about x",
    "Iyy": "moment of inertia about y",
    "Izz": "moment of inertia about z",
    "Ixy": "product of inertia, x and y",
    "Ixz": "product of inertia, x and z",
    "Iyz": "product of inertia, y and z",
}
_ORIGIN = "platform axes, at the platform frame's origin"
# By symbol: what a parameter is called whichever strut it belongs to.
MEANINGS = {
    "m_p": "mass of the platform",
    **{f"m{axis}_p": f"mass of the platform times the {axis} of its centre of mass" for axis in "xyz"},
    **{f"{name}_p": f"{text}, {_ORIGIN}" for name, text in _MOMENTS.items()},
    "m_b": "mass of body B",
    "m_e": "mass of body E",
    "m_m": "mass that the turning motor stands for along the strut",
    "h_b": "mass of body B times the distance of its centre of mass from the base joint",
    "h_e": "mass of body E times the distance of its centre of mass from the platform joint",
    "It_b+It_e": "moments of inertia across the strut's axis, each about its own centre of mass, added up",
    "Ia_b+Ia_e": "moments of inertia about the strut's axis, added up",
    "Jt": "moment of inertia across the strut's axis, bodies about their joints, added up",
    "Ja": "moment of inertia about the strut's axis",
    **{
        f"{name}_{body}": f"{text} (x along the second hinge, y along the strut), at the centre of mass"
        for body in "be"
        for name, text in list(_MOMENTS.items())[:3]
    },
    "viscous": "viscous friction along the strut: force over rate",
    "coulomb": "Coulomb friction along the strut: force against the motion at any rate",
    "asymmetry": "half of what Coulomb friction is larger moving out than in",
    **{
        f"{end}_joint_{name}": f"{text} of the strut's joint at the {end}"
        for end in ("base", "platform")
        for name, text in (("coulomb", "Coulomb friction moment"), ("viscous", "viscous friction moment"))
    },
}
EXAMPLE = "uf"


@dataclass(frozen=True)
class Entry:
    """What several parameters have in common: `names` and `sets` are those it stands for."""

    names: tuple[str, ...]
    meaning: str
    unit: str
    body: str
    sets: tuple[str, ...] = ()


def meaning(entry: Parameter) -> str:
    """Return what a parameter is, in words."""
    if entry.kind is Kind.EFFECT:
        return entry.symbol.replace("_", " ") + ", " + entry.kind.value
    return MEANINGS.get(entry.symbol, f"{entry.kind.value} of {entry.body}")


def entries_of(parameters: Iterable[Parameter], of: str = "") -> list[Entry]:
    """Return parameters by symbol and body, in their order; those of several struts are one entry."""
    groups: dict[tuple[str, str], list[Parameter]] = {}
    for one in parameters:
        groups.setdefault((one.symbol, one.body), []).append(one)
    return [
        Entry(
            tuple(one.name for one in group),
            meaning(group[0]),
            group[0].unit,
            BODIES.get(body, body),
            (of,) if of else (),
        )
        for (_, body), group in groups.items()
    ]


def build_glossary_table(parameters: Iterable[Parameter]) -> Listing:
    """Return names, meanings, units and bodies of a report's parameters."""
    rows = tuple(
        (_keep_unbroken(_format_span(one.names)), one.meaning, _keep_unbroken(one.unit), one.body)
        for one in entries_of(parameters)
    )
    return Listing(("name", "meaning", "unit", "body"), rows)


def build_glossary_page() -> str:
    """docs/glossary.md."""
    entries: dict[tuple[str, str], Entry] = {}
    for machine in (Machine.load(EXAMPLE), _add_all_friction()):
        for name in NAMES:
            for one in entries_of(list_hexapod_parameters(machine, name).entries, name):
                key = (one.meaning, one.body)
                known = entries.get(key)
                sets = tuple(dict.fromkeys((*known.sets, name))) if known else (name,)
                names = tuple(dict.fromkeys((*(known.names if known else ()), *one.names)))
                entries[key] = Entry(names, one.meaning, one.unit, one.body, sets)
    rows = [
        f"| `{_format_span(one.names)}` | {one.meaning} | {one.unit} | {one.body} | {', '.join(one.sets)} |"
        for one in entries.values()
    ]
    return "\n".join([*_HEAD, *rows, *_TAIL]) + "\n"


def _keep_unbroken(text: str) -> str:
    """A text that is not broken over lines."""
    return text.replace(" ", "\u00a0")


def _add_all_friction() -> Machine:
    """A machine whose file has friction of every kind that sets estimate."""
    document = {**Machine.load(EXAMPLE).document}
    document["friction"] = {
        **document["friction"],
        "law": "asymmetric",
        "asymmetry": [1.0] * STRUTS,
        "joints": {
            end: {"coulomb": [0.1] * STRUTS, "viscous": [0.1] * STRUTS} for end in ("base", "platform")
        },
    }
    return Machine.from_document(document)


def _format_span(names: tuple[str, ...]) -> str:
    """Return names in short: of all struts alike, then of the first to the last strut."""
    if len(names) <= 2:
        return ", ".join(names)
    alike = max(len(names) - STRUTS, 0)
    return ", ".join([*names[:alike], f"{names[alike]} ... {names[-1]}"])


_HEAD = (
    "# Parameters by name",
    "",
    "Written by `python -m pkm_identification.report.glossary > docs/glossary.md`. A name is a label: programs ask for",
    "kind, body and strut (`Parameter` in Python). A number at the end of a name is the strut's, 1 to 6; without one,",
    "a strut's parameter is the same for all six. SI units.",
    "",
    "![The machine with its parameters](images/machine.svg)",
    "",
    "| name | meaning | unit | body | sets |",
    "|---|---|---|---|---|",
)
_TAIL = (
    "",
    "`--parameters` chooses the set (`docs/method.md`). What `--also` estimates in addition (`force_delay_1`, ...) "
    "has the",
    "names of `docs/diagnosis.md`. The platform frame's origin is the point whose pose is reported; centres of mass of",
    "bodies B and E lie on the strut's axis.",
)

if __name__ == "__main__":
    print(build_glossary_page(), end="")
