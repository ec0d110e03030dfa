# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well the numbers of a machine file are known: what the file states, what is usual, what is written again."""

from __future__ import annotations

import copy
import re
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from core.machines.every_machine import EVERY, machine

from pkm_identification.cli import main
from pkm_identification.document import TextScalars
from pkm_identification.exporting.drafts.kinds import write_draft
from pkm_identification.exporting.estimated import find_hexapod_widths
from pkm_identification.exporting.formats import format_machine_text
from pkm_identification.machines.knowledge.bodies import BODY_WIDTHS
from pkm_identification.machines.load import load_machine, read_machine
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.known_statements import take_statements, write_statements

SHIPPED = {
    name: path for folder in ("machines", "mechanisms") for name, path in list_builtin_files(folder).items()
}


def document(name: str) -> dict:
    """A shipped file, numbers of mechanisms as text, without what it says of how well it is known."""
    text = SHIPPED[name].read_text(encoding="utf-8")
    made = yaml.load(text, TextScalars) if "kind: mechanism" in text else yaml.safe_load(text)
    made.pop("known")
    return made


def set_key(made: dict, path: str, value) -> dict:
    """A copy of a document with a value at a path `strut.body_e.mass`."""
    made = copy.deepcopy(made)
    *parents, last = path.split(".")
    place = made
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
    place[int(last) if isinstance(place, list) else last] = value
    return made


def find_number(one, key: str):
    return next(number for number in one.knowledge if number.key == key)


@pytest.mark.parametrize("name", EVERY)
def test_every_number_of_every_machine_has_a_width_and_a_key(name):
    numbers = list(machine(name).knowledge)
    assert all(0.0 < one.width < np.inf for one in numbers)
    assert len({one.name for one in numbers}) == len(numbers)
    assert sum(len(body.numbers) for body in machine(name).knowledge.bodies) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_what_a_shipped_file_states_is_written_again_and_changes_nothing_else(name, tmp_path):
    first, plain = load_machine(name), read_machine(document(name))
    (tmp_path / "again.yaml").write_text(format_machine_text(first, "yaml"), encoding="utf-8")
    again = load_machine(tmp_path / "again.yaml")
    assert again.knowledge == first.knowledge
    assert {body.mass.how for body in first.knowledge.bodies} == {"cad"}
    assert again.hash == first.hash == plain.hash
    assert first.document == plain.document
    assert "known" not in format_machine_text(plain, "yaml")


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("uf", {"platform.known": {"all": "cad", "mass": 0.1}, "strut.body_e.mass": "1.79 +- 5 %"}),
        ("uf", {"known": {"all": "guessed", "gravity": "1 %"}, "geometry.base_joints.2.1": "0.4064 ± 1e-4"}),
        (
            "mast",
            {
                "known": "cad",
                "constants.plate": "2.06 +- 1 %",
                "bodies.bar_1.known": {"inertia": ["5 %"] * 6},
            },
        ),
        ("mast", {"joints.ball_1.place.0.0": "L +- 0.001", "joints.known": "measured"}),
    ],
)
def test_statements_are_written_as_they_are_read(name, stated):
    made = document(name)
    for path, value in stated.items():
        made = set_key(made, path, value)
    first = read_machine(made)
    bare, statements = take_statements(made, "file", as_text=True)
    assert len(statements.stated) >= len(stated)
    assert take_statements(write_statements(bare, statements), "file", as_text=True) == (bare, statements)
    again = read_machine(
        yaml.load(format_machine_text(first, "yaml"), TextScalars if name == "mast" else yaml.SafeLoader)
    )
    assert again.knowledge == first.knowledge
    assert first.with_changes({"gravity.2": 0.1}).knowledge.bodies == first.knowledge.bodies


def test_without_a_statement_numbers_are_known_as_usual():
    one = read_machine(document("uf"))
    mass, place = find_number(one, "strut.body_e.mass"), find_number(one, "strut.body_e.center_of_mass")
    assert (mass.log_width, mass.width, mass.how) == (0.2, pytest.approx(0.2 * 1.79), "default")
    assert (place.width, place.log_width) == (pytest.approx(0.05 * 0.3), None)  # of the shortest strut
    body = one.knowledge.bodies[0]
    assert [number.log_width for number in body.gyration] == [0.15] * 3
    assert body.gyration[0].value == pytest.approx(np.sqrt(0.0907612 / 4.82))
    assert find_number(one, "platform.center_of_mass.0").width == pytest.approx(0.05 * body.size)
    assert [(len(group.bodies), group.width) for group in one.knowledge.alike] == [(6, 0.03)] * 2
    assert [number.width for number in one.knowledge.of_kind("common_force_gain")] == [0.02]
    assert {number.width for number in one.knowledge.of_kind("force_gain")} == {0.01}
    tilts = one.knowledge.of_kind("gravity_direction")
    assert [np.rad2deg(tilt.width) for tilt in tilts] == pytest.approx([0.5, 0.5])
    # three times the weight on a strut
    weight = 9.81 * (4.82 + 6 * (7.7214 + 1.79)) / 6
    assert one.knowledge.of_kind("coulomb")[0].width == pytest.approx(3 * weight)
    places = one.knowledge.of_kind("joint_places")
    assert len(places) == 36
    assert {number.width for number in places} == {places[0].width}
    assert places[0].width == pytest.approx(1e-4, rel=0.3)


def test_what_the_file_has_as_zero_is_known_to_the_scale_of_such_a_body():
    bar = load_machine("mast").knowledge.body("bar_1")
    assert bar.moments[0].log_width is None
    assert bar.moments[0].width == pytest.approx(0.1 * 0.07 * bar.size**2)
    slider = load_machine("mast").knowledge.body("slider_1")
    assert slider.mass.width == pytest.approx(0.07)  # the lightest of the others
    # where no mass is there is no place of it: 'cad' of the whole file says nothing of it
    assert [one.width for one in slider.center_of_mass] == pytest.approx([slider.size] * 3)


@pytest.mark.parametrize(
    ("stated", "share"),
    [
        ({}, 0.2),
        ({"known": "measured"}, 0.005),
        ({"known": "CAD"}, 0.05),
        ({"known": "measured", "strut.known": "guessed"}, 1.0),
        ({"strut.known": "guessed", "strut.body_e.known": "cad"}, 0.05),
        ({"known": {"strut": "guessed"}, "strut.body_e.known": {"mass": "measured"}}, 0.005),
        ({"strut.known": {"body_e": {"mass": "3 %"}}, "known": "cad"}, 0.03),
        ({"strut.body_e.known": {"all": "measured", "mass": 0.179}}, 0.1),
        ({"strut.body_e.mass": "1.79 +- 0.179", "strut.body_e.known": "measured"}, 0.1),
        ({"strut.known": "7 %"}, 0.07),
        ({"strut.body_b.known": "guessed"}, 0.2),
    ],
)
def test_the_nearest_statement_holds(stated, share):
    made = document("uf")
    for path, value in stated.items():
        made = set_key(made, path, value)
    number = find_number(read_machine(made), "strut.body_e.mass")
    assert number.log_width == pytest.approx(share)
    assert number.value == 1.79


@pytest.mark.parametrize(
    ("stated", "share", "in_numbers"),
    [
        ({"constants.plate": "2.06 +- 1 %"}, 0.01, False),
        ({"constants.known": {"plate": "measured"}, "bodies.known": "guessed"}, 0.005, False),
        ({"constants.known": "measured", "bodies.known": "guessed"}, 1.0, False),
        ({"constants.plate": "2.06 +- 1 %", "bodies.platform.mass": "plate +- 2 %"}, 0.02, True),
        ({"constants.r": "0.35 +- 1 %"}, 0.2, False),  # says nothing of a mass
    ],
)
def test_a_mass_that_is_a_constant_is_known_as_that_constant(stated, share, in_numbers):
    made = document("mast")
    for path, value in stated.items():
        made = set_key(made, path, value)
    one = read_machine(made)
    assert find_number(one, "bodies.platform.mass").log_width == pytest.approx(share)
    assert find_number(one, "bodies.platform.inertia.0").how in ("default", "guessed")
    assert ("constants.plate" in {number.key for number in one.knowledge.of_kind("numbers")}) == in_numbers


@pytest.mark.parametrize(
    ("name", "path", "value", "says"),
    [
        ("uf", "known", "cda", "known = 'cda': must be measured, cad, guessed, .*did you mean 'cad'"),
        ("uf", "strut.konwn", "guessed", "unknown key 'strut.konwn'; did you mean 'known'"),
        ("uf", "known", None, "known = None: must be"),
        ("uf", "known", 0.1, "known = 0.1: .*several units"),
        ("uf", "known", {"strut": 0.1}, "'strut' = 0.1: .*several units"),
        (
            "uf",
            "platform.known",
            {"mas": "cad"},
            "'platform.mas': there is no key 'mas' in platform; .*'mass'",
        ),
        ("uf", "platform.known", {"mass": -1.0}, "'platform.mass' = -1.0: a width must be greater"),
        ("uf", "platform.known", {"mass": "0 %"}, "a width must be greater"),
        ("uf", "platform.known", {"mass": ".nan"}, "must be measured, cad"),
        (
            "uf",
            "platform.known",
            {"inertia": ["cad"] * 7},
            r"'platform.inertia\[7\]': is not one of the 6 entries",
        ),
        (
            "uf",
            "platform.mass",
            "4.82 +- -1",
            "'platform.mass' = '4.82 \\+- -1': a width must be greater",
        ),
        ("uf", "platform.mass", "4.82 +- some", "expected a number, \\+- and its width"),
        ("uf", "platform.mass", "heavy +- 1", "platform.mass = 'heavy': must be a number"),
        (
            "uf",
            "platform",
            {"known": {"mass": "cad"}, "mass": "4.82 +- 1"},
            "'platform.mass' is known is stated twice",
        ),
        ("uf", "geometry.known", {"base_joints": {"x": "cad"}}, "is not one of the 6 entries"),
        ("uf", "platform.known", {"mass": {"x": "cad"}}, "there is no key 'x' in platform.mass"),
        ("uf", "known", {"name": "cad"}, "'name': there is no number, but uf"),
        ("mast", "joints.guide_1.known", {"bodies": "cad"}, "there is no number"),
        ("mast", "joints.guide_1.known", {"type": 0.1}, "there is no number, but prismatic"),
        ("mast", "bodies.bar_1.known", {"masss": "cad"}, "'bodies.bar_1.masss': there is no key 'masss'"),
        ("mast", "joints.known", "1e-4", "several units"),
        ("mast", "constants.r", "0.35 +- -1 %", "a width must be greater"),
        ("mast", "known", {"bars": "cad"}, "'bars': there is no key 'bars'; keys: "),
    ],
)
def test_a_wrong_statement_is_one_line_that_names_file_and_key(name, path, value, says, tmp_path, capsys):
    file = tmp_path / "wrong.yaml"
    made = set_key(document(name), path, value)
    file.write_text(yaml.safe_dump(made, sort_keys=False), encoding="utf-8")
    assert main(["mechanism", "--machine", str(file)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(file) in said
    assert re.search(says, said), said


@pytest.mark.parametrize("name", ["uf", "four-bar"])
def test_an_empty_statement_says_nothing(name):
    assert (
        read_machine(set_key(document(name), "known", {})).knowledge == read_machine(document(name)).knowledge
    )


def test_text_and_expressions_without_blanks_keep_their_signs():
    made = set_key(document("uf"), "description", "within 3 +- 4 mm")
    assert read_machine(made).description.description == "within 3 +- 4 mm"
    mast = set_key(document("mast"), "bodies.bar_1.center_of_mass.0", "L/2+-0.01")
    assert find_number(read_machine(mast), "bodies.bar_1.center_of_mass.0").value == pytest.approx(0.12)


def test_identified_numbers_state_their_deviations_and_others_what_was_known():
    own = read_machine(set_key(document("uf"), "strut.known", "cad"))
    parameters = own.build_parameter_set()
    deviations = 1e-3 * np.abs(parameters.nominal) + 1e-9
    status = dict.fromkeys(parameters.names, "identifiable") | {"viscous_2": "unidentifiable"}
    saved = SimpleNamespace(
        names=parameters.names, mean=parameters.nominal, covariance=np.diag(deviations**2), status=status
    )

    def build(values):
        return own.with_values(parameters.mapping @ values + parameters.known)

    widths = find_hexapod_widths(build, saved)
    of = dict(zip(parameters.names, deviations, strict=True))
    assert widths["platform.mass"] == pytest.approx(of["m_p"])
    assert widths["struts.4.body_e.mass"] == pytest.approx(of["m_e"])
    assert widths["friction.viscous.2"] == pytest.approx(of["viscous_3"])
    assert (
        not {"friction.viscous.1", "platform.center_of_mass.0", "struts.0.body_e.center_of_mass"}
        & widths.keys()
    )
    made = build(saved.mean)
    assert find_number(made, "struts.0.body_e.center_of_mass").how == "cad"
    assert find_number(made, "platform.mass").how == "default"


@pytest.mark.parametrize("kind", ["five-bar", "delta", "3-prs", "serial-arm"])
def test_init_states_what_it_guesses(kind):
    mass = {"five-bar": "crank_mass", "delta": "platform_mass", "3-prs": "bar_mass", "serial-arm": "m1"}[kind]
    one = read_machine(yaml.load(write_draft(kind, "one", {mass: 0.7}, 6), TextScalars))
    how = {body.mass.value: body.mass.log_width for body in one.knowledge.bodies}
    assert how[0.7] == BODY_WIDTHS["default"].mass
    assert {share for value, share in how.items() if value != 0.7} <= {BODY_WIDTHS["guessed"].mass}
    assert {body.center_of_mass[0].how for body in one.knowledge.bodies} == {"guessed"}


def test_the_command_lists_how_well_numbers_are_known(capsys):
    assert main(["mechanism", "--machine", "uf"]) == 0
    assert "strut.body_e.mass" not in capsys.readouterr().out
    assert main(["mechanism", "--machine", "uf", "--known"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("strut.body_e.mass"))
    assert line.split()[-3:] == ["5", "%", "cad"]
