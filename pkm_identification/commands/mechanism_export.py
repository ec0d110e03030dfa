"""pkm export of a mechanism: MJCF, or its own description."""

from __future__ import annotations

import argparse
import sys

from pkm_identification.errors import SettingsError
from pkm_identification.exporting.formats import format_of, write_text, yaml_text
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

from .arguments import refuse_for_mechanism

FORMATS = ("mjcf", "yaml")


def export(options: argparse.Namespace) -> int:
    """Write the mechanism.

    Raises
    ------
    SettingsError
        If the format is none of a mechanism's, or an option is a hexapod's.
    """
    refuse_for_mechanism(options, estimate="--estimate", cures="--cures", set="--set")
    form = options.format or format_of(options.out)
    if form not in FORMATS:
        asked = f"--format {options.format}" if options.format else f"--out {options.out}, without --format"
        raise SettingsError(f"{asked}: a mechanism is written as {' or '.join(FORMATS)}")
    mechanism = Mechanism.load(options.machine)
    text = _text(mechanism, form)
    if options.out == "-":
        sys.stdout.write(text)
        return 0
    write_text(options.out, text)
    print(f"{options.out}: {mechanism.name}, {form}", file=sys.stderr)
    return 0


def _text(mechanism: Mechanism, form: str) -> str:
    if form == "yaml":
        return yaml_text(mechanism.description.document)
    # MuJoCo takes a second to load
    from pkm_identification.simulation.multibody.mjcf import mechanism_mjcf

    return mechanism_mjcf(mechanism)
