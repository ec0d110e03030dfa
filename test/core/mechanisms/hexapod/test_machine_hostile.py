# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Whatever stands in a description: a machine or a MachineError, nothing else."""

from __future__ import annotations

import copy
import datetime
import json

import numpy as np
import pytest
import yaml
from core.mechanisms.hexapod.machine_variants import changed, document, untidy
from core.platform_motions import lengths
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pkm_identification.errors import MachineError
from pkm_identification.mechanisms.hexapod.machine import Machine

pytestmark = pytest.mark.slow

numbers = st.one_of(
    st.floats(),
    st.floats(-1.0, 1.0),
    st.integers(-(10**6), 10**6),
    st.sampled_from([0, -0.0, 1e308, -1e308, 5e-324, 1e-300, 10**400, float("nan"), float("inf")]),
)
scalars = st.one_of(
    numbers,
    st.none(),
    st.booleans(),
    st.text(max_size=8),
    st.just(datetime.date(2020, 1, 1)),
    st.binary(max_size=4),
)
junk = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=7),
        st.dictionaries(st.one_of(st.text(max_size=5), st.integers()), inner, max_size=3),
    ),
    max_leaves=12,
)


def places(node, path=()):
    """Every place of a document: paths of keys and indices."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def change(made, path, action, value):
    place = made
    for key in path[:-1]:
        place = place[key]
    if action == "drop":
        del place[path[-1]]
    elif action == "replace":
        place[path[-1]] = value
    elif action == "add" and isinstance(place[path[-1]], dict):
        place[path[-1]]["surprise"] = value
    elif action == "add" and isinstance(place[path[-1]], list):
        place[path[-1]].append(value)
    elif action == "empty":
        place[path[-1]] = type(place[path[-1]])()


SOURCES = [document("uf"), untidy("hexel")]


@st.composite
def damaged(draw):
    made = copy.deepcopy(draw(st.sampled_from(SOURCES)))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(made))))
        change(made, path, draw(st.sampled_from(["drop", "replace", "replace", "add", "empty"])), draw(junk))
        if not made:
            break
    return made


def load(made):
    """A machine that can be used, or None with one line that says why not."""
    problem, machine = "", None
    try:
        machine = Machine.from_document(made, source="file.yaml")
    except MachineError as error:
        problem = str(error)
    if machine is None:
        assert problem.startswith("file.yaml: ")
        return None
    assert len(machine.hash) == 16
    home = lengths(machine, machine.home_position[None], machine.home_rotation[None])
    assert np.all(np.isfinite(home))
    assert machine.platform.mass > 0
    return machine


@given(damaged())
@settings(max_examples=250)
def test_damaged_description_gives_a_machine_or_a_machine_error(made):
    load(made)


@pytest.mark.parametrize("value", [10**400, -(10**400), 2**64, 10**30])
def test_whole_numbers_of_any_size_give_a_machine_or_a_machine_error(value):
    for made in (changed("uf", platform__mass=value), changed("uf", gravity=[0.0, 0.0, value])):
        load(made)


@given(damaged())
@settings(max_examples=40)
def test_damaged_file_gives_a_machine_or_a_machine_error(tmp_path_factory, made):
    path = tmp_path_factory.mktemp("machine") / "machine.yaml"
    path.write_text(yaml.safe_dump(made), encoding="utf-8")
    problem = "machine.yaml"
    try:
        Machine.load(path)
    except MachineError as error:
        problem = str(error)
    assert "machine.yaml" in problem


@given(st.binary(max_size=200))
@example(b"a: &a [*a]")
@example(b"&a {schema: 1, name: *a}")
@example(b"!!python/object:os.system x")
@example(b"? [1, 2]\n: 3")
@example(b"a: 1\na: 2")
@example(b"[" * 5000)
@settings(max_examples=40)
def test_any_bytes_give_a_machine_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("machine") / "machine.yaml"
    path.write_bytes(content)
    with pytest.raises(MachineError):
        Machine.load(path)


@given(scale=st.sampled_from([1e-320, 1e-200, 1e-160, 1e155, 1e200, 1e308]), seed=st.integers(0, 3))
@settings(max_examples=20)
def test_geometry_of_impossible_size_gives_a_machine_or_a_machine_error(scale, seed):
    made = document("uf")
    geometry = made["geometry"]
    rng = np.random.default_rng(seed)
    for key in ("base_joints", "platform_joints"):
        if rng.random() < 0.7:
            geometry[key] = (np.array(geometry[key]) * scale).tolist()
    geometry["length_limits"] = [5e-324, 1.7e308]
    load(made)


def test_description_that_was_read_can_be_written_again():
    made = untidy("ford")
    machine = Machine.from_document(made)
    again = Machine.from_document(json.loads(json.dumps(machine.document)))
    assert again.hash == machine.hash
