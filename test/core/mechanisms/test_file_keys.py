# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The declared keys of machine and mechanism files are those the readers know, and the documents are up to date."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from pkm_identification.document import Node
from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.actuators.registry import TYPE_NAMES, read_actuators
from pkm_identification.mechanisms.builtin import list_builtin_files
from pkm_identification.mechanisms.file_keys.actuator_keys import actuator_types
from pkm_identification.mechanisms.file_keys.documents import FILES, documents
from pkm_identification.mechanisms.file_keys.hexapod_keys import HEXAPOD_KEYS
from pkm_identification.mechanisms.file_keys.key import Key
from pkm_identification.mechanisms.file_keys.mechanism_keys import MECHANISM_KEYS
from pkm_identification.mechanisms.friction.registry import LAWS
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.mechanisms.multibody.description.reader import parse_text, read_document

ROOT = Path(__file__).resolve().parents[3]
STRANGE = "zzz"


@pytest.mark.parametrize("path", documents())
def test_page_and_schemas_are_what_the_declarations_say(path):
    again = "write it again: python -m pkm_identification.mechanisms.file_keys.documents"
    assert (ROOT / path).read_text(encoding="utf-8") == documents()[path], again


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "file"),
    [
        (kind, file)
        for kind, folder in (("machine", "machines"), ("mechanism", "mechanisms"))
        for file in list_builtin_files(folder).values()
    ],
    ids=lambda value: getattr(value, "stem", value),
)
def test_every_shipped_file_is_valid_by_its_schema_and_a_misspelt_one_is_not(kind, file):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(documents()[f"config/schema/{kind}.json"])
    judge = jsonschema.Draft202012Validator(schema)
    judge.check_schema(schema)
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert [error.message for error in judge.iter_errors(document)] == []
    assert not judge.is_valid(document | {"descripton": "x"})
    assert not judge.is_valid({key: value for key, value in document.items() if key != "name"})


def value_of(key: Key, skipped: tuple[str, ...]) -> Any:
    """Something that a reader takes for a key of a drive."""
    if key.form is None:
        return {one.name: value_of(one, skipped) for one in key.keys if one.name not in skipped}
    if "enum" in key.form.schema:
        return key.form.schema["enum"][-1]
    return [[-1.0, -0.1], [1.0, 0.1]] if key.name == "no_load" else 0.5


def section(keys: Iterable[Key], type_: str, *skipped: str) -> dict[str, Any]:
    """A drive with all its keys but some."""
    return {"type": type_} | {one.name: value_of(one, skipped) for one in keys if one.name not in skipped}


@pytest.mark.parametrize("turning", [False, True], ids=["along lengths", "that turn"])
@pytest.mark.parametrize("type_", TYPE_NAMES)
def test_a_schema_knows_what_the_reader_of_each_type_of_drive_knows(type_, turning):
    jsonschema = pytest.importorskip("jsonschema")
    kind = "mechanism" if turning else "machine"
    schema = json.loads(documents()[f"config/schema/{kind}.json"])
    of_drives = {key: schema[key] for key in ("$schema", "$defs")}
    of_drives["properties"] = {"actuator": schema["properties"]["actuator"]}
    judge = jsonschema.Draft202012Validator(of_drives)

    def agreed(one: dict[str, Any]) -> bool:
        try:
            read_actuators(Node({"actuator": copy.deepcopy(one)}, "", "file", MachineError), 1, (turning,))
            read = True
        except MachineError as error:
            read, said = False, str(error)
        valid = judge.is_valid({"actuator": one})
        assert valid == read, f"{one}: {'' if read else said}"
        return read

    types = actuator_types(turning)
    if type_ not in types:
        assert not agreed({"type": type_})
        return
    skipped = ("lead",) if turning else ()
    whole = section(types[type_], type_, *skipped)
    assert agreed(whole)
    for place in places(whole):
        assert not agreed(changed(whole, place, STRANGE, 1.0))
        for name in at(whole, place):
            if (*place, name) != ("type",):
                assert not agreed(changed(whole, place, name, True))
    for key in types[type_]:
        # without a winding no back_emf, and either of gain and sensor is nothing without the other
        pair = {"winding": "back_emf", "gain": "sensor", "sensor": "gain", "encoder": "cascade"}.get(
            key.name, ""
        )
        if key.name not in skipped:
            assert agreed(section(types[type_], type_, *skipped, key.name, pair)) == (not key.required)


def places(document: dict[str, Any], way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield way
    for name, value in document.items():
        if isinstance(value, dict):
            yield from places(value, (*way, name))


def at(document: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
    for name in way:
        document = document[name]
    return document


def changed(document: dict[str, Any], way: tuple[str, ...], name: str, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    at(made, way)[name] = value
    return made


def whole_hexapods() -> Iterator[dict[str, Any]]:
    """Hexapods that between them have every section."""
    machine = yaml.safe_load(list_builtin_files("machines")["uf"].read_text(encoding="utf-8"))
    yield machine
    machine["struts"] = [machine.pop("strut")] * 6
    machine["sensors"] = {"imu": {"position": [0, 0, 0]}, "force": {"at": "platform"}}
    machine["tolerances"] = {}
    machine["drive"]["cylinder"] = {"piston_area": 1e-3, "rod_side_area": 8e-4}
    machine["friction"] = {"joints": {"base": {}, "platform": {}}, "viscous": 1.0, "coulomb": 1.0}
    machine["geometry"]["base_joint"]["angle_limits"] = {"first": 1.0}
    machine["geometry"]["platform_joint"] = {"type": "spherical", "angle_limits": {"swing": 1.0}}
    yield machine
    exchanged = copy.deepcopy(machine)
    exchanged["geometry"]["base_joint"] = {"type": "spherical", "angle_limits": {"swing": 1.0}}
    exchanged["geometry"]["platform_joint"] = {
        "type": "universal", "first_axes": "tangential", "angle_limits": {"first": 1.0},
    }  # fmt: skip
    yield exchanged
    for law in LAWS:
        numbers: dict[str, Any] = {one.name: 1.0 for one in law.parameters if one.default is None}
        numbers |= {one.name: [1.0] * 6 for one in law.coefficients}
        yield machine | {"friction": {"law": law.name, **numbers}}
    yield yaml.safe_load(list_builtin_files("machines")["uf_belt"].read_text(encoding="utf-8"))
    yield from controlled(yaml.safe_load(list_builtin_files("machines")["uf"].read_text(encoding="utf-8")))


def controlled(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A file with every loop in its drives, and with a law for all of them."""
    loop = {"gain": 1.0, "period": 0.001}
    yield document | {
        "actuator": section(actuator_types(False)["two_inertia"], "two_inertia", "current_bandwidth"),
        "control": {name: dict(loop) for name in ("position", "velocity", "current")},
    }
    law = {"position_gain": 1.0, "rate_gain": 1.0, "period": 0.001}
    yield document | {"actuator": {"type": "ideal"}, "control": {"computed_torque": law}}


MEASURES: tuple[dict[str, Any], ...] = (
    {"joint": "hinge"},
    {"sum": {"hinge": "2"}},
    {"lever": {"joint": "hinge", "square": "2", "twice": "1"}},
    {"lever": {"sum": {"hinge": "1"}, "square": "2", "twice": "1"}},
    {"length": {"ground": ["0", "0", "0"], "arm": ["0.1", "0", "0"]}},
    {"body": "arm", "position": "x"},
    {"body": "arm", "angle": "1", "sequence": "zyx"},
)


# What drives may report instead of forces.
REPORTS = {
    "motor": {"torque_constant": "0.1", "rated_torque": "0.3", "screw_lead": "0.005", "gear_ratio": "3"},
    "cylinder": {"piston_area": "1e-3", "rod_side_area": "8e-4"},
}


def whole_mechanisms() -> Iterator[dict[str, Any]]:
    """Mechanisms that come with the package, and an arm with every way to measure it."""
    for file in list_builtin_files("mechanisms").values():
        yield parse_text(file)
    yield from controlled(parse_text(list_builtin_files("mechanisms")["mast"]))
    for measure in MEASURES:
        yield {
            "schema": "1",
            "kind": "mechanism",
            "name": "arm",
            "bodies": {"arm": {"parameters": ["1", "0", "0", "0", "1", "1", "1", "0", "0", "0"]}},
            "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "arm"], "friction": {}}},
            "couplings": {"stop": {"sum": {"hinge": "1"}}},
            "drives": {"q": dict(measure) | REPORTS},
            "outputs": {"x": dict(measure)},
            "readings": {"y": dict(measure)},
            "friction": {"joints": {}},
            "home": {},
        }
    for law in LAWS:
        numbers: dict[str, Any] = {one.name: "1" for one in law.parameters if one.default is None}
        numbers |= {one.name: ["1"] for one in law.coefficients}
        hinge = {"type": "revolute", "bodies": ["ground", "arm"]}
        yield {
            "schema": "1",
            "kind": "mechanism",
            "name": "arm",
            "bodies": {"arm": {"mass": "1"}},
            "joints": {"hinge": hinge},
            "drives": {"q": {"joint": "hinge"}},
            "tolerances": {},
            "friction": {"law": law.name, **numbers},
        }


def sections(keys: Iterable[Key], value: Any, place: str, way: tuple) -> Iterator[tuple[str, tuple, Any]]:
    """Sections of a document: the place declared, the way there and the keys declared for it."""
    if isinstance(value, list):
        yield from sections(keys, value[0], place, (*way, 0))
        return
    yield place, way, keys
    for key in keys:
        inner = value if key.name == "*" else {key.name: value[key.name]} if key.name in value else {}
        for name, one in inner.items():
            if key.form is None and not key.kinds and isinstance(one, dict | list):
                yield from sections(key.keys, one, f"{place}.{key.name}", (*way, name))


def allowed(document: dict[str, Any], way: tuple, read: Any) -> set[str]:
    """What the reader says is allowed in a section, asked by a key that is strange there."""
    asked = copy.deepcopy(document)
    section: Any = asked
    for step in way:
        section = section[step]
    section[STRANGE] = 1
    with pytest.raises(MachineError) as caught:
        read(asked)
    said = re.search(rf"unknown key '{STRANGE}'[^;]*; allowed: (\w+(?:, \w+)*)", str(caught.value))
    assert said is not None, f"{way}: {caught.value}"
    return set(said[1].split(", "))


@pytest.mark.parametrize(
    ("keys", "made", "read"),
    [
        pytest.param(HEXAPOD_KEYS, whole_hexapods, Machine.from_document, id="hexapods"),
        pytest.param(MECHANISM_KEYS, whole_mechanisms, read_document, id="mechanisms"),
    ],
)
@pytest.mark.slow
def test_every_section_declares_what_its_reader_allows(keys, made, read):
    known: dict[str, set[str]] = defaultdict(set)
    declared: dict[str, set[str]] = {}
    for document in made():
        read(copy.deepcopy(document))  # is valid
        for place, way, of_section in sections(keys, document, "", ()):
            names = {key.name for key in of_section}
            declared[place] = names
            if "*" not in names:
                known[place] |= allowed(document, way, read)
    expected = {place: names for place, names in declared.items() if "*" not in names}
    assert known == expected
    assert declared.keys() == set(declared_places(keys, ""))


@pytest.mark.parametrize(
    ("keys", "made", "read"),
    [
        pytest.param(HEXAPOD_KEYS, whole_hexapods, Machine.from_document, id="hexapods"),
        pytest.param(MECHANISM_KEYS, whole_mechanisms, read_document, id="mechanisms"),
    ],
)
@pytest.mark.slow
def test_null_is_declared_where_the_reader_takes_it(keys, made, read):
    declared: set[str] = set()
    taken: set[str] = set()
    tried: Counter[str] = Counter()
    for document in made():
        for place, way, of_section in sections(keys, document, "", ()):
            for key in of_section:
                name = f"{place}.{key.name}"
                if key.name == "*" or name in taken or tried[name] >= 3:  # three documents tell enough
                    continue
                tried[name] += 1
                if key.null:
                    declared.add(name)
                asked = copy.deepcopy(document)
                section: Any = asked
                for step in way:
                    section = section[step]
                section[key.name] = None
                with suppress(MachineError):
                    read(asked)
                    taken.add(name)
    assert taken == declared


def declared_places(keys: Iterable[Key], place: str) -> Iterator[str]:
    """Sections that are declared: each is to be met in one of the documents."""
    yield place
    for key in keys:
        if key.form is None and not key.kinds:
            yield from declared_places(key.keys, f"{place}.{key.name}")


def test_both_kinds_of_file_have_a_schema():
    assert set(FILES) == {"machine", "mechanism"}
    assert {path for path in documents() if path.endswith(".json")} == {
        f"config/schema/{kind}.json" for kind in FILES
    }
