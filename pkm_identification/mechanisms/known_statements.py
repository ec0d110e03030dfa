# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""How well numbers of a machine file are known: `known` of a file, a section or a key, and `3.2 +- .1`.

Both are taken out of the document before its readers see it, so that they read the numbers alone:

    known: cad                          # the whole file
    platform:
      known: {mass: measured, inertia: 10 %}
      mass: 4.82
      center_of_mass: [0 +- 0.002, 0, 0]

What is stated nearest to a number holds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pkm_identification.document import format_key
from pkm_identification.errors import MachineError
from pkm_identification.suggestion import did_you_mean, nearest

HEADING = ("schema", "kind", "name", "description")  # what a file begins with
KEY, ALL = "known", "all"  # of a section; in it, of all its keys that nothing else is said of
WORDS = ("measured", "cad", "guessed")
TEXTS = ("name", "description")  # keys of a file whose text may hold any sign
Path = tuple[str, ...]
_SHOWN = 40  # characters of a value
# Blanks around it: `L +-x` is an expression of a mechanism's file
_PLUS_MINUS = re.compile(r"\s+(?:\+-|±)\s+")


@dataclass(frozen=True)
class Width:
    """A standard deviation: of a number in its own unit, or relative to it."""

    size: float
    relative: bool = False

    def __str__(self) -> str:
        return f"{100.0 * self.size:.15g} %" if self.relative else repr(self.size)


Statement = str | Width


@dataclass(frozen=True)
class Statements:
    """What a file says of how well its numbers are known.

    Attributes
    ----------
    stated : mapping of tuple of str to Statement
        By the keys that lead there, indices of lists from 0; () is the whole file.
    """

    stated: Mapping[Path, Statement] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.stated)

    def find_nearest(self, path: str) -> tuple[Path, Statement | None]:
        """Return what is stated nearest to a number, by its path `strut.body_e.mass`, and where; None: nothing."""
        keys = tuple(path.split("."))
        for length in range(len(keys), -1, -1):
            if keys[:length] in self.stated:
                return keys[:length], self.stated[keys[:length]]
        return (), None


NO_STATEMENTS = Statements()


def take_statements(document: Any, source: str, as_text: bool = False) -> tuple[Any, Statements]:
    """Return a parsed machine file without what it says of how well it is known, and that.

    Parameters
    ----------
    document : object
        What YAML made of the file; it is not changed.
    source : str
        Name of the file, for messages.
    as_text : bool
        Whether a number with a width stays the text it is written in, as numbers of mechanisms do.

    Raises
    ------
    MachineError
        If a word is none of WORDS, a width is not greater than zero, or a key is not there: names file and key.
    """
    stated: dict[Path, Statement] = {}
    bare = _take(document, (), source, stated)
    if not stated:
        return bare, NO_STATEMENTS
    return bare if as_text else _resolve(bare, (), stated), Statements(stated)


def check_statements(statements: Statements, document: Mapping[str, Any], source: str) -> None:
    """Refuse statements on keys that a file does not have, or that are no numbers.

    Parameters
    ----------
    statements : Statements
    document : mapping
        The file, all defaults written out, numbers no text.
    source : str
        Name of the file, for messages.

    Raises
    ------
    MachineError
        Names the file, the key, and the keys that are there.
    """
    for path, statement in statements.stated.items():
        node: Any = document
        for depth, key in enumerate(path):
            if isinstance(node, list) and key.isdigit() and int(key) < len(node):
                node = node[int(key)]
            elif isinstance(node, Mapping) and key in node:
                node = node[key]
            else:
                raise MachineError(
                    f"{source}: {_describe_path(path)}: {_describe_missing(node, path[:depth], key)}"
                )
        if not _has_numbers(node):
            raise MachineError(
                f"{source}: {_describe_path(path)}: there is no number, but {str(node)[:_SHOWN]}"
            )
        if isinstance(statement, Width) and not statement.relative and _has_sections(node):
            raise MachineError(
                f"{source}: {_describe_path(path)} = {statement}: numbers of a section have several units: "
                f"must be {', '.join(WORDS)}, or a width in per cent, as 5 %"
            )


def _describe_missing(node: Any, path: Path, key: str) -> str:
    if isinstance(node, list):
        return f"is not one of the {len(node)} entries of the list"
    keys = [str(one) for one in node] if isinstance(node, Mapping) else []
    where = f" in {_name(path)}" if path else ""
    return f"there is no key '{key}'{where}; keys: {', '.join(keys) or 'none'}{did_you_mean(key, keys)}"


def _has_numbers(node: Any) -> bool:
    if isinstance(node, (Mapping, list)):
        return isinstance(node, Mapping) or any(map(_has_numbers, node))
    return isinstance(node, (int, float)) and not isinstance(node, bool)


def _has_sections(node: Any) -> bool:
    return isinstance(node, Mapping) or (isinstance(node, list) and any(map(_has_sections, node)))


def write_statements(document: Mapping[str, Any], statements: Statements) -> dict[str, Any]:
    """Return a machine file's document with statements, each as the key `known` of the section it is in.

    That of the whole file stands below what the file is called.
    """
    written: dict[str, Any] = _write(document, (), dict(statements.stated))
    heading = [key for key in (*HEADING, KEY) if key in written]
    return {key: written[key] for key in dict.fromkeys([*heading, *written])}


def keep_known(before: Mapping[str, Any], section: Mapping[str, Any]) -> dict[str, Any]:
    """Return a section of a file, with what the section before it says of how well the keys are known that it has."""
    kept = {
        key: keep_known(before[key], one) if _is_section(before, key, one) else one
        for key, one in section.items()
    }
    known = before.get(KEY)
    if isinstance(known, Mapping):
        known = {key: one for key, one in known.items() if key == ALL or key in section}
    return {KEY: known, **kept} if known else kept


def _is_section(before: Mapping[str, Any], key: str, value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(before.get(key), Mapping)


def _write(node: Any, path: Path, stated: dict[Path, Statement]) -> Any:
    """Return a part of a document with what is stated of it and of its keys."""
    if isinstance(node, list):
        return [_write(one, (*path, str(k)), stated) for k, one in enumerate(node)]
    if not isinstance(node, Mapping):
        return node
    own = _format_written(stated.get(path))
    named: dict[str, Any] = {}
    for key, value in node.items():
        below = (*path, str(key))
        if isinstance(value, Mapping):
            continue
        if below in stated:
            named[key] = _format_written(stated[below])
        elif isinstance(value, list) and not any(isinstance(one, Mapping) for one in value):
            each = _write_list(value, below, stated)
            named |= {} if each is None else {key: each}
    written = {key: _write(value, (*path, str(key)), stated) for key, value in node.items()}
    if own is not None and named:
        return {KEY: {ALL: own, **named}, **written}
    if own is not None or named:
        return {KEY: named if own is None else own, **written}
    return written


def _write_list(value: list[Any], path: Path, stated: dict[Path, Statement]) -> list[Any] | None:
    """Return statements of the entries of a list of numbers; None where there are none."""
    each = [
        _write_list(one, (*path, str(k)), stated)
        if isinstance(one, list)
        else _format_written(stated.get((*path, str(k))))
        for k, one in enumerate(value)
    ]
    return each if any(one is not None for one in each) else None


def _format_written(statement: Statement | None) -> Any:
    if isinstance(statement, Width):
        return str(statement) if statement.relative else statement.size
    return statement


def _take(value: Any, path: Path, source: str, stated: dict[Path, Statement]) -> Any:
    """Return a part of a document without statements; those are added to what is stated."""
    if isinstance(value, str):
        return value if len(path) == 1 and path[0] in TEXTS else _take_width(value, path, source, stated)
    if isinstance(value, list):
        found = [_take(one, (*path, str(k)), source, stated) for k, one in enumerate(value)]
        return found if any(new is not old for new, old in zip(found, value, strict=True)) else value
    if not isinstance(value, Mapping):
        return value
    entries = {key: _take(one, (*path, str(key)), source, stated) for key, one in value.items() if key != KEY}
    for key, one in entries.items():
        if isinstance(one, str) and one.lower() in WORDS and nearest(str(key), (KEY,)):
            raise MachineError(
                f"{source}: unknown key '{_name((*path, str(key)))}'{did_you_mean(str(key), (KEY,))}"
            )
    if KEY in value:
        for below, statement in _read(value[KEY], path, source, path):
            if below in stated:
                raise MachineError(f"{source}: how well '{_name(below)}' is known is stated twice")
            stated[below] = statement
    elif all(entries[key] is value[key] for key in value):
        return value
    return entries


def _read(value: Any, path: Path, source: str, section: Path) -> Iterator[tuple[Path, Statement]]:
    """Yield what the value of `known` of a section says of a path in it."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _read(one, path if key == ALL else (*path, str(key)), source, section)
    elif isinstance(value, list) and path != section:
        for k, one in enumerate(value):
            if one is not None:
                yield from _read(one, (*path, str(k)), source, section)
    else:
        yield path, _read_statement(value, f"{source}: {_describe_path(path)} = {value!r}")


def _read_statement(value: Any, where: str) -> Statement:
    """Return a word or a width."""
    if isinstance(value, str) and value.lower() in WORDS:
        return value.lower()
    width = _read_width(value)
    if width is None:
        near = did_you_mean(value, WORDS) if isinstance(value, str) else ""
        raise MachineError(
            f"{where}: must be {', '.join(WORDS)}, a width in the key's unit, or one in per cent, as 5 %{near}"
        )
    return _check_width(width, where)


def _check_width(width: Width, where: str) -> Width:
    if not (math.isfinite(width.size) and width.size > 0.0):
        raise MachineError(f"{where}: a width must be greater than zero")
    return width


def _read_width(value: Any) -> Width | None:
    """Return the width that a number, a text of one, or a text of a percentage says; None: it is none."""
    if isinstance(value, bool):
        return None
    text = str(value).strip()
    relative = text.endswith("%")
    try:
        size = float(text.removesuffix("%"))
    except ValueError:
        return None
    return Width(size / 100.0, True) if relative else Width(size)


def _take_width(text: str, path: Path, source: str, stated: dict[Path, Statement]) -> Any:
    """Return the number before `+-`; its width is added to what is stated. Other texts are returned as they are."""
    parts = _PLUS_MINUS.split(text)
    if len(parts) == 1:
        return text
    where = f"{source}: '{_name(path)}' = {text!r}"
    width = _read_width(parts[1]) if len(parts) == 2 else None
    if width is None:
        raise MachineError(f"{where}: expected a number, +- and its width, as 3.2 +- 0.1 or 3.2 +- 5 %")
    stated[path] = _check_width(width, where)
    return parts[0].strip()


def _resolve(node: Any, path: Path, stated: Mapping[Path, Statement]) -> Any:
    """Return a part of a document, in which texts that had widths are numbers."""
    if isinstance(node, list):
        return [_resolve(one, (*path, str(k)), stated) for k, one in enumerate(node)]
    if isinstance(node, Mapping):
        return {key: _resolve(one, (*path, str(key)), stated) for key, one in node.items()}
    return _number(node) if isinstance(node, str) and path in stated else node


def _number(text: str) -> Any:
    """Return the number that a text is; a text that is none as it is."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _name(path: Path) -> str:
    return format_key(".".join(path))


def _describe_path(path: Path) -> str:
    return f"known of '{_name(path)}'" if path else KEY
