# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a foreign log looks like: which of its columns is which, in what units; given as options or kept in a file."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pkm_identification.document import YAML_ENDINGS, Node, read_yaml
from pkm_identification.errors import SettingsError
from pkm_identification.suggestion import did_you_mean

from ..channels import STRUT_CHANNELS, Channels
from .units import units_by_quantity

LAYOUT_ENDING = ".columns.yaml"
NUMBERED = re.compile(r"(.*?)(\d{1,6})(\D*)")
MOST_COLUMNS = 64
STAMPS = ("header", "receive")


@dataclass(frozen=True)
class LogLayout:
    """How a foreign log is read.

    Attributes
    ----------
    columns : mapping of str to str
        Our name of a column (`t`, `length_1`, ...): its name in the log, or its number from 1.
    units : tuple of str
        What the log is in, as `mm`, `kN`; SI units where nothing is said.
    joints : tuple of str
        Names of the drives in a recording's messages, struts 1 to 6 of a hexapod; empty: the machine file's.
    rate : float or None
        Samples per second of a log whose time is counted in samples, or not there at all.
    stamps : str
        Whose stamps a recording's messages have: `header`, or `receive`, their times of arrival; empty: the header's.
    at_zero : tuple of float
        Coordinates of the drives, m or rad, where the log has 0, as of strokes: one for all or one of each.
    channels : Channels
        Our columns; those of a hexapod by default.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    rate: float | None = None
    stamps: str = ""
    at_zero: tuple[float, ...] = ()
    channels: Channels = field(default=STRUT_CHANNELS, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse what no log can be."""
        channels, units = self.channels, units_by_quantity(self.units, self.channels)
        for name in self.columns:
            _refuse_unknown(name, channels)
        theirs = list(self.columns.values())
        for name, column in self.columns.items():
            if theirs.count(column) > 1:
                other = next(n for n, c in self.columns.items() if c == column and n != name)
                raise SettingsError(
                    f"--columns: {name} and {other} are both '{column}'{_advise_on_sums(name, channels)}"
                )
        count = len(channels.joints)
        if self.joints and (len(self.joints) != count or len(set(self.joints)) != count):
            raise SettingsError(
                f"--joints {','.join(self.joints)}: expected {channels.count} different names, of {channels.called}"
            )
        if self.rate is not None and not 0 < self.rate <= 1e6:
            raise SettingsError(
                f"--rate {self.rate:g}: must be more than 0 and at most 1e6 samples per second"
            )
        if self.stamps and self.stamps not in STAMPS:
            raise SettingsError(f"--stamps {self.stamps}: expected {' or '.join(STAMPS)}")
        if len(self.at_zero) not in (0, 1, count) or not all(map(math.isfinite, self.at_zero)):
            raise SettingsError(
                f"--at-zero {','.join(map(str, self.at_zero))}: expected one finite number, or {channels.count}, of "
                f"{channels.called}"
            )
        unit = units.get("time")
        if self.rate is not None and unit is not None:
            raise SettingsError(f"--units {unit}: t counts samples by --rate {self.rate:g}, and has no unit")

    def __bool__(self) -> bool:
        """Whether anything is said."""
        said = (self.columns, self.units, self.joints, self.stamps, self.at_zero)
        return any(said) or self.rate is not None

    @classmethod
    def of(
        cls,
        columns: str | None,
        units: str | None,
        joints: str | None,
        rate: float | None,
        channels: Channels = STRUT_CHANNELS,
        stamps: str | None = None,
        at_zero: str | None = None,
    ) -> LogLayout | None:
        """Return the layout of options, lists with commas; None where none is given.

        `columns` may name a layout file, which holds where the other options say nothing.

        Raises
        ------
        SettingsError, DocumentError
            If an option or the file cannot be understood.
        """
        if columns is not None and columns.endswith(YAML_ENDINGS) and "=" not in columns:
            kept, pairs = read_layout(columns, channels), {}
        else:
            kept, pairs = cls(channels=channels), _read_pairs(columns, channels)
        layout = cls(
            pairs,
            () if units is None else _split_list(units),
            () if joints is None else _split_list(joints),
            rate,
            stamps or "",
            () if at_zero is None else _read_numbers(at_zero),
            channels,
        )
        return layout.over(kept) or None

    def over(self, kept: LogLayout) -> LogLayout:
        """Return what this layout says, and where it says nothing, what another one says."""
        return LogLayout(
            self.columns or kept.columns,
            self.units or kept.units,
            self.joints or kept.joints,
            kept.rate if self.rate is None else self.rate,
            self.stamps or kept.stamps,
            self.at_zero or kept.at_zero,
            self.channels,
        )


def _refuse_unknown(ours: str, channels: Channels) -> None:
    known = (*channels.groups, *channels.quantity)
    if ours not in known:
        raise SettingsError(
            f"--columns: '{ours}' is no column of ours; left of '=' stand t, {', '.join(channels.groups)} (each of all "
            f"drives), or of single drives, expected {channels.expected}{did_you_mean(ours, known)}"
        )


def _advise_on_sums(ours: str, channels: Channels) -> str:
    """Return what to do where columns of forces are fewer than drives."""
    if ours not in channels.forces:
        return ""
    return "; the sum of several drives' forces cannot be divided: record the force of each drive"


def _split_list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _read_numbers(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise SettingsError(f"--at-zero {text}: expected numbers in m or rad with commas between") from None


def _read_pairs(text: str | None, channels: Channels) -> dict[str, str]:
    columns: dict[str, str] = {}
    for part in [] if text is None else text.split(","):
        ours, sign, theirs = (piece.strip() for piece in part.partition("="))
        if not (ours and sign and theirs):
            raise SettingsError(
                f"--columns '{part}': expected OURS=THEIRS, as {channels.example}, or a {LAYOUT_ENDING} file"
            )
        _add(columns, _spread(ours, theirs, channels))
    return columns


def _add(columns: dict[str, str], more: Mapping[str, str]) -> None:
    """Further columns, none of which is there yet."""
    for ours, theirs in more.items():
        if columns.setdefault(ours, theirs) != theirs:
            raise SettingsError(f"--columns: {ours} is both '{columns[ours]}' and '{theirs}'")


def _spread(ours: str, theirs: str | Sequence[str], channels: Channels) -> dict[str, str]:
    """One column, or those of a group, one of each drive: `length` and `L1..L6`, or a list."""
    _refuse_unknown(ours, channels)
    if ours not in channels.groups:
        if not isinstance(theirs, str):
            raise SettingsError(f"--columns {ours}: expected one column")
        return {ours: theirs}
    several = _expand_range(theirs) if isinstance(theirs, str) else list(theirs)
    count = len(channels.joints)
    if len(several) != count:
        raise SettingsError(
            f"--columns {ours}={theirs}: expected {channels.count} column{'s' * (count != 1)}, as {ours}=A1..A{count} "
            f"or {ours}=2..{count + 1}, found {len(several)}{_advise_on_sums(channels.groups[ours][0], channels)}"
        )
    return dict(zip(channels.groups[ours], several, strict=True))


def _expand_range(text: str) -> list[str]:
    """`L1..L6`, `L1..6`, `axis0 pos..axis5 pos`, or a difference of two such, written out; any other text is a name."""
    plus, minus, subtracted = text.partition("-")
    if minus and ".." in plus and ".." in subtracted:
        pairs = zip(_expand_range(plus), _expand_range(subtracted), strict=False)
        return [f"{one}-{other}" for one, other in pairs]
    first, dots, last = text.partition("..")
    begin, stop = NUMBERED.fullmatch(first), NUMBERED.fullmatch(last)
    if not dots or begin is None or stop is None:
        return [text]
    stem, low, end = begin.groups()
    if stop.groups()[::2] not in ((stem, end), ("", "")):
        return [text]
    count = int(stop[2]) - int(low) + 1
    return [f"{stem}{int(low) + i}{end}" for i in range(count)] if 0 < count <= MOST_COLUMNS else [text]


def read_layout(path: str | Path, channels: Channels = STRUT_CHANNELS) -> LogLayout:
    """Return a layout kept in a file: `columns`, `units`, `joints`, `rate`, `stamps`, `at_zero`; each may be missing.

    Raises
    ------
    DocumentError
        If it is no such file: names the key.
    SettingsError
        If it says what no log can be.
    """
    root = Node(read_yaml(Path(path), "layout"), "", str(path))
    node = root.take("columns", {})
    columns: dict[str, str] = {}
    for key in node.value if isinstance(node.value, dict) else []:
        if not isinstance(key, str):
            node.fail(f"has the key {key}, expected a column of ours, as t or length")
        column = node.take(key)
        several = isinstance(column.value, list)
        names = [_name(entry) for entry in column.entries()] if several else _name(column)
        _add(columns, _spread(key, names, channels))
    if not isinstance(node.value, dict):
        node.fail("must be a mapping of our columns to those of the log")
    rate = root.take("rate", None).positive_or_none()
    stamps = root.take("stamps", "")
    at_zero = root.take("at_zero", [])
    if not isinstance(at_zero.value, list):
        at_zero.fail("must be a list of numbers")
    layout = LogLayout(
        columns,
        _read_texts(root.take("units", [])),
        _read_texts(root.take("joints", [])),
        rate,
        stamps.text() if stamps.value else "",
        tuple(entry.number() for entry in at_zero.entries()),
        channels,
    )
    root.close()
    return layout


def _name(node: Node) -> str:
    return str(node.value) if type(node.value) is int else node.text()


def _read_texts(node: Node) -> tuple[str, ...]:
    if not isinstance(node.value, list):
        node.fail("must be a list of names")
    return tuple(_name(entry) for entry in node.entries())


def layout_text(layout: LogLayout) -> str:
    """Return a layout as the file `read_layout` reads."""
    document: dict[str, Any] = {"columns": dict(layout.columns)} if layout.columns else {}
    lists = ("units", "joints", "at_zero")
    document |= {name: list(value) for name in lists if (value := getattr(layout, name))}
    if layout.stamps:
        document["stamps"] = layout.stamps
    if layout.rate is not None:
        document["rate"] = layout.rate
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=10_000)


def whole_layout(
    path: str | Path, layout: LogLayout | None, channels: Channels = STRUT_CHANNELS
) -> LogLayout:
    """Return what is said of a log and, of what nothing is said, what is kept next to it in `LOG.columns.yaml`."""
    layout_file, said = find_layout_file(path), layout or LogLayout(channels=channels)
    return said.over(
        read_layout(layout_file, channels) if layout_file.is_file() else LogLayout(channels=channels)
    )


def find_layout_file(path: str | Path) -> Path:
    """Return where the layout of a log is kept: next to it."""
    log = Path(path)
    return log.with_name(log.name + LAYOUT_ENDING) if log.name else log / LAYOUT_ENDING
