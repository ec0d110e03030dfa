# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A description of a mechanism from a YAML document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pkm_identification.document import Node, read_yaml
from pkm_identification.errors import MachineError

from ...actuators import read_actuators
from ...actuators.base import Actuator
from ...actuators.control_section import MachineControl, read_control
from ...friction import Friction, read_friction
from ...known_statements import check_statements, take_statements
from ...tolerances import read_drive_tolerances
from ..numbers.exact import Exact, exact
from .measures import Measures, full_turns
from .numbers import Constants, floats, not_negative, number, numbers, refuse_degrees
from .parts import build_named_entries, read_bodies, read_joints
from .plausibility import check_plausibility
from .records import (
    FREEDOM,
    JOINT_TRANSITION_RATE,
    Body,
    ClosedForm,
    Description,
    Drive,
    Home,
    Joint,
    Measure,
    Series,
    SeriesMotion,
)

SCHEMA = 1
KIND = "mechanism"
# What only a hexapod's file has.
_HEXAPOD_KEYS = ("geometry", "platform", "strut", "struts", "drive", "sensors")
_ACTUATOR_KEYS = ("actuator", "actuators", "control")
_GRAVITY = ["0", "0", "-9.81"]
_MOST_SAMPLES = 1_000_000


def read_file(path: Path) -> Description:
    """Return the description in a file.

    Raises
    ------
    MachineError
        If the file cannot be read, is not YAML, or describes no mechanism: names file, key, value and what is allowed.
    """
    return read_document(parse_text(path), str(path))


def parse_text(path: Path) -> Any:
    """Return what YAML makes of a file, numbers kept as their text."""
    return read_yaml(path, "machine file", MachineError, numbers_as_text=True)


def read_document(document: Any, source: str = "mechanism", plausible: bool = True) -> Description:
    """Return a description from a parsed document; see `read_file`."""
    document, known = take_statements(document, source, as_text=True)
    root = Node(document, "", source, MachineError)
    schema = root.take("schema")
    if str(schema.value) != str(SCHEMA):
        schema.fail(f"is {schema.value!r}; this package reads schema {SCHEMA}")
    root.take("kind", KIND).choice((KIND,))
    for key in _HEXAPOD_KEYS:
        if root.has(key):
            root.take(key).fail(
                f"belongs into a hexapod's file; this one is of kind {KIND}, with bodies and joints"
            )
    constants = _read_constants(root.take("constants", {}))
    bodies = read_bodies(root.take("bodies"), constants)
    joints = read_joints(root.take("joints"), constants, bodies)
    measures = Measures(bodies, joints, constants)
    couplings = measures.couplings(root.take("couplings", {}))
    drives = measures.drives(root.take("drives"))
    outputs = measures.outputs(root.take("outputs", {}))
    readings = measures.outputs(root.take("readings", {}))
    _refuse_repeated(root, [measure.name for measure in (*outputs, *readings)])
    _refuse_repeated(root, [drive.force for drive in drives])
    friction_node = _find_friction_node(root.take("friction", {}), source, constants, len(drives))
    friction, joint_transition_rate = _read_friction(friction_node, len(drives))
    tolerances_node = Node(
        floats(root.take("tolerances", {}).value, constants), "tolerances", source, MachineError
    )
    tolerances = read_drive_tolerances(tolerances_node, len(drives))
    actuators, control = _read_actuators(document, source, constants, drives)
    for key in _ACTUATOR_KEYS:
        root.take(key, None)
    description = Description(
        name=root.take("name").text(),
        description=root.take("description", "").text(),
        source=source,
        gravity=numbers(root.take("gravity", _GRAVITY), constants, 3),
        bodies=bodies,
        joints=joints,
        drives=_add_inertia(drives, actuators),
        outputs=outputs or tuple(drive.measure for drive in drives),
        readings=readings,
        home=_read_home(root.take("home", {}), constants, joints, [d.measure for d in drives], list(outputs)),
        friction=friction,
        motion=_read_motion(root.take("motion", None), constants, [drive.measure for drive in drives]),
        closed_form=_read_closed_form(root.take("closed_form", None), constants),
        pose=_body(root.take("pose", None), bodies) or _find_platform(outputs),
        payload_body=_body(root.take("payload_body", None), bodies),
        document=document,
        actuators=actuators,
        control=control,
        joint_transition_rate=joint_transition_rate,
        tolerances=tolerances,
        couplings=couplings,
    )
    root.close()
    whole = root.with_defaults()
    whole["friction"] = friction_node.with_defaults() | whole.get("friction", {})
    check_statements(known, floats(whole, constants), source)
    description = replace(description, full_document=whole, known=known)
    if plausible:
        check_plausibility(description)
    return description


def move_joints(
    description: Description, changes: Mapping[str, float], document: dict[str, Any]
) -> Description | None:
    """Return a description some of whose joints' places differ by so much (m), as its changed document says it.

    None where a path is of something else: then the document is to be read. That takes longer than all else of a
    changed machine, of which hundreds are asked for.
    """
    joints = {joint.name: joint for joint in description.joints}
    for path, change in changes.items():
        part, name, key, *indices = [*path.split("."), "", ""][:5]
        if (part, key) != ("joints", "place") or name not in joints:
            return None
        body, axis = (int(index) for index in indices)
        place = [list(vector) for vector in joints[name].place]
        place[body][axis] += exact(f"{change:.17g}")
        joints[name] = replace(joints[name], place=(tuple(place[0]), tuple(place[1])))
    return replace(description, joints=tuple(joints.values()), document=document, full_document=document)


def _find_friction_node(node: Node, source: str, constants: Constants, drives: int) -> Node:
    """Return the section of friction in floats; of a file that has none, of drives without friction."""
    given, nothing = floats(node.value, constants), [0.0] * drives
    if isinstance(given, dict) and set(given) <= {"joints"}:
        given = {"viscous": nothing, "coulomb": nothing, **given}
    return Node(given, "friction", source, MachineError)


def _read_friction(node: Node, drives: int) -> tuple[Friction, float]:
    """Return friction of the drives, and the rate where Coulomb friction of passive joints reverses."""
    joints = node.take("joints", {})
    rate = joints.take("transition_rate", JOINT_TRANSITION_RATE).positive()
    joints.close()
    return read_friction(node, drives, alike=False), rate


def _read_actuators(
    document: Any, source: str, constants: Constants, drives: tuple[Drive, ...]
) -> tuple[tuple[Actuator, ...] | None, MachineControl | None]:
    """Actuators and their control, of whose numbers floats are enough."""
    given = {key: document[key] for key in _ACTUATOR_KEYS if key in document}
    node = Node(floats(given, constants), "", source, MachineError)
    actuators = read_actuators(node, len(drives), tuple(drive.measure.unit == "rad" for drive in drives))
    return actuators, read_control(node, actuators)


def _add_inertia(drives: tuple[Drive, ...], actuators: tuple[Actuator, ...] | None) -> tuple[Drive, ...]:
    """The drives with what turns rigidly with them, and with the force of a current where their motors say it."""
    if actuators is None:
        return drives
    pairs = zip(drives, actuators, strict=True)
    return tuple(
        replace(
            drive,
            inertia=drive.inertia + exact(actuator.inertia) if actuator.inertia else drive.inertia,
            reported=drive.reported.with_motor(actuator.motor),
        )
        for drive, actuator in pairs
    )


def _read_constants(node: Node) -> Constants:
    """Named numbers, each of which may use those before it."""
    constants: dict[str, Exact] = {}
    if node.value != {}:
        for name, entry_node in build_named_entries(node):
            if not name.isidentifier():
                entry_node.fail("is no name: letters, digits and _ alone")
            constants[name] = number(entry_node, constants)
    return constants


def _refuse_repeated(root: Node, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            root.fail(f"has two forces, outputs or readings named '{name}'")


def _read_home(
    node: Node,
    constants: Constants,
    joints: tuple[Joint, ...],
    drives: list[Measure],
    outputs: list[Measure],
) -> Home:
    by_outputs = node.has("outputs")
    if by_outputs and node.has("drives"):
        node.fail("must have outputs or drives, not both")
    wanted = outputs if by_outputs else drives
    entry_node = node.take("outputs" if by_outputs else "drives", {})
    values = tuple(
        _read_home_value(entry_node.take(measure.name, "0"), constants, measure) for measure in wanted
    )
    entry_node.close()
    guess: dict[str, tuple[Exact, ...]] = {}
    guess_node = node.take("guess", {})
    if guess_node.value != {}:
        known = {joint.name: joint for joint in joints}
        for name, entry in build_named_entries(guess_node):
            if name not in known:
                entry.fail(f"names no joint; joints: {', '.join(known)}")
            freedom = FREEDOM[known[name].type]
            if not isinstance(entry.value, list):
                guess[name] = (number(entry, constants),)
            else:
                guess[name] = numbers(entry, constants)
            if len(guess[name]) != freedom:
                entry.fail(f"= {entry.value}: a {known[name].type} joint has {freedom} coordinates")
            if known[name].type != "prismatic":
                refuse_degrees(entry, guess[name])
    node.close()
    return Home(by_outputs, values, guess)


def _read_home_value(node: Node, constants: Constants, measure: Measure) -> Exact:
    value = number(node, constants)
    if measure.unit == "rad":
        refuse_degrees(node, (value,), full_turns(measure))
    return value


def _read_motion(node: Node, constants: Constants, drives: list[Measure]) -> SeriesMotion | None:
    if node.value is None:
        return None
    period_node = node.take("period")
    period = not_negative(period_node, constants)
    if period == 0:
        period_node.fail("= 0: must be greater than zero")
    samples_node = node.take("samples")
    samples = str(samples_node.value)
    if not samples.isdigit() or not 0 < int(samples) <= _MOST_SAMPLES:
        samples_node.fail(f"= {samples_node.value!r}: must be a whole number up to {_MOST_SAMPLES}")
    entry_node = node.take("drives")
    series = []
    for drive in drives:
        one = entry_node.take(drive.name)
        mean = _read_home_value(one.take("mean"), constants, drive)
        waves = []
        for key in ("cosine", "sine"):
            entry = one.take(key, [])
            waves.append(numbers(entry, constants))
            if drive.unit == "rad":
                refuse_degrees(entry, waves[-1], full_turns(drive))
        series.append(Series(mean, *waves))
        one.close()
    entry_node.close()
    node.close()
    return SeriesMotion(period, int(samples), tuple(series))


def _body(node: Node, bodies: Sequence[Body]) -> str | None:
    names = [body.name for body in bodies]
    if node.value is not None and node.value not in names:
        node.fail(f"names the body {node.value!r}, which is not there; bodies: {', '.join(names)}")
    return node.value


def _find_platform(outputs: tuple[Measure, ...]) -> str | None:
    """Return the body whose three positions and three angles the outputs are: a platform with a pose; else None."""
    kinds = sorted(measure.kind for measure in outputs)
    if kinds != ["angle"] * 3 + ["position"] * 3 or len({measure.bodies for measure in outputs}) > 1:
        return None
    return outputs[0].bodies[1]


def _read_closed_form(node: Node, constants: Constants) -> ClosedForm | None:
    if node.value is None:
        return None
    name = node.take("name").text()
    given: Mapping[str, Any] = {key: value for key, value in node.value.items() if key != "name"}
    numbers = {str(key): number(node.take(key), constants) for key in given}
    node.close()
    return ClosedForm(name, numbers)
