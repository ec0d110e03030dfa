"""Options that several commands have: alike in name, meaning and help."""

from __future__ import annotations

import argparse


def add_machine(parser: argparse.ArgumentParser) -> None:
    """The machine description, --machine."""
    parser.add_argument("--machine", required=True, help="built-in name or YAML file")


def add_logs(parser: argparse.ArgumentParser) -> None:
    """One log or several, the topic in a bag, and the machine they are of: what `records.read_logs` needs."""
    parser.add_argument("logs", nargs="+", metavar="LOG", help=".csv, .csv.gz or a bag folder")
    add_machine(parser)
    parser.add_argument("--topic", help="topic in a bag when it has several named strut_states")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Where the numbers go, --json, as `results.present` takes it."""
    parser.add_argument(
        "--json", metavar="FILE", help="write the numbers here ('-': to stdout instead of text)"
    )
