# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Options of `pkm friction`, `pkm simulate` and `pkm demo` are what is declared once, and say so when refused."""

import argparse

import pytest

from pkm_identification.commands import demo, friction, simulate
from pkm_identification.commands.arguments import collect_options
from pkm_identification.declared import declarations
from pkm_identification.errors import SettingsError
from pkm_identification.identification.procedures.friction_test import FrictionSettings
from pkm_identification.ros.processes.demo_settings import DemoSettings
from pkm_identification.simulation.run_settings import FAULTS, NOISE, RunSettings

NEEDED = {
    "friction": ["log.csv", "--machine", "uf"],
    "simulate": ["--machine", "uf", "--out", "a.csv"],
    "demo": [],
}
OF = {
    "friction": (friction, tuple(declarations(FrictionSettings).values())),
    "simulate": (simulate, (*declarations(RunSettings).values(), FAULTS, NOISE)),
    "demo": (demo, tuple(declarations(DemoSettings).values())),
}


def parsed(command, *arguments):
    parser = argparse.ArgumentParser()
    OF[command][0].add(parser.add_subparsers())
    return parser.parse_args([command, *NEEDED[command], *arguments])


CASES = [(command, one) for command, (_, settings) in OF.items() for one in settings]


@pytest.mark.parametrize(("command", "declaration"), CASES, ids=[f"{c}{d.flag}" for c, d in CASES])
def test_an_option_is_its_declaration(command, declaration):
    default = getattr(parsed(command), declaration.name)
    assert default == ([] if isinstance(declaration.default, list) else declaration.default)
    if isinstance(declaration.default, bool):
        assert getattr(parsed(command, declaration.flag), declaration.name) is True
        return
    numeric = declaration.low is not None
    given = declaration.low if numeric else "x"
    text = str(100 * given if declaration.percent else given)
    value = getattr(parsed(command, f"{declaration.flag}={text}"), declaration.name)
    assert value == (["x"] if isinstance(declaration.default, list) else given)
    if numeric:
        assert type(value) is type(declaration.default)
        below = str(declaration.low - 1).removesuffix(".0")
        with pytest.raises(SettingsError, match=f"^{declaration.flag} -?[0-9.]+: must be "):
            collect_options(parsed(command, f"{declaration.flag}={below}"), (declaration,))


def test_a_percentage_is_refused_as_it_was_typed():
    assert collect_options(parsed("simulate", "--noise", "0.5"), (NOISE,)) == {"current_noise": 0.005}
    with pytest.raises(SettingsError, match=r"^--noise 2000: must be between 0 and 1000 %$"):
        collect_options(parsed("simulate", "--noise", "2000"), (NOISE,))


def test_a_number_that_is_none_is_in_no_range():
    with pytest.raises(SettingsError, match="--duration nan"):
        collect_options(parsed("demo", "--duration", "nan"), OF["demo"][1])
