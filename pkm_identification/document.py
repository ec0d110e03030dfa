# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A YAML document read with care: every value knows its place, for errors a person can act on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import yaml

from pkm_identification.errors import DocumentError
from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.suggestion import did_you_mean, nearest

YAML_ENDINGS = (".yaml", ".yml")
# Products of a few of such numbers are still finite.
LARGEST = 1e15
LONGEST = 16 * 2**20  # characters of a document, with every alias written out
MOST_DIGITS = 400  # of a whole number
SHOWN = 240  # characters of a complaint's beginning and of its end
MOST_PROBLEMS = 20  # said at once


def format_key(path: str) -> str:
    """Return a number's path as messages write it, entries of lists from 1: `gravity.2` is `gravity[3]`."""
    return re.sub(r"\.(\d+)(?=\.|$)", lambda found: f"[{int(found[1]) + 1}]", path)


def format_percent(share: float) -> str:
    """Return a share in % with two digits, without an exponent up to a thousand."""
    percent = 100.0 * share
    return f"{percent:.0f} %" if 10.0 <= percent < 1000.0 else f"{percent:.2g} %"


def parse_key(text: str) -> str:
    """Return the path of a number, entries of lists from 0, that is written as a path or as in messages."""
    return re.sub(r"\[([1-9]\d*)\]", lambda found: f".{int(found[1]) - 1}", text)


def frozen(array: FloatArray) -> FloatArray:
    array.setflags(write=False)
    return array


def _read_document_text(path: Path) -> str:
    """The text of a document's file; a ValueError where it is no text or too long, an OSError where it is no file."""
    with path.open("rb") as file:
        content = file.read(LONGEST + 1)
    if len(content) > LONGEST:
        raise ValueError(f"is longer than {LONGEST // 2**20} MB")
    return content.decode("utf-8").replace("\r\n", "\n")


class UniqueKeys(yaml.SafeLoader):
    """Safe loader that refuses a key given twice, of which YAML would silently keep the last, and what blows up."""

    def get_single_node(self) -> yaml.Node | None:
        node = super().get_single_node()
        if node is not None:
            _count_expanded_characters(node, {})
        return node

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > MOST_DIGITS:
            raise yaml.constructor.ConstructorError(
                None, None, f"a whole number of {len(node.value)} digits", node.start_mark
            )
        return super().construct_yaml_int(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen = set()
        for key, _ in node.value:
            if isinstance(key.value, str) and key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key '{key.value}' is given twice", key.start_mark
                )
            if isinstance(key.value, str):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


UniqueKeys.add_constructor("tag:yaml.org,2002:int", UniqueKeys.construct_yaml_int)


def _count_expanded_characters(node: yaml.Node, known: dict[int, int]) -> int:
    """Characters of a node with every alias in it written out; refused beyond LONGEST, and where it holds itself."""
    if id(node) in known:
        if known[id(node)] < 0:
            raise yaml.composer.ComposerError(None, None, "an alias within itself", node.start_mark)
        return known[id(node)]
    known[id(node)] = -1
    size = 1
    if isinstance(node, yaml.ScalarNode):
        size += len(node.value)
    elif isinstance(node, yaml.MappingNode):
        size += sum(_count_expanded_characters(one, known) for pair in node.value for one in pair)
    else:
        size += sum(_count_expanded_characters(one, known) for one in node.value)
    if size > LONGEST:
        raise yaml.composer.ComposerError(
            None, None, f"its aliases written out make more than {LONGEST // 2**20} MB", node.start_mark
        )
    known[id(node)] = size
    return size


class TextScalars(UniqueKeys):
    """Safe loader that keeps numbers as the text they are written in: 0.30 stays 3/10, not the nearest float."""


def _format_as_written(loader: TextScalars, node: yaml.ScalarNode) -> str:
    return node.value


for _kind in ("int", "float"):
    TextScalars.add_constructor(f"tag:yaml.org,2002:{_kind}", _format_as_written)


def read_yaml(
    path: Path, what: str, error: type[DocumentError] = DocumentError, numbers_as_text: bool = False
) -> Any:
    """Return what YAML makes of a file; messages begin with what it is, as in "machine file 'x.yaml': cannot be read".

    Raises
    ------
    DocumentError
        Of the type stated, if the file cannot be read or is not YAML.
    """
    location = f"{what} '{path}'"
    try:
        text = _read_document_text(path)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None)
        reason = reason or ("is not a text file" if isinstance(problem, UnicodeDecodeError) else str(problem))
        raise error(f"{location}: cannot be read: {reason}") from None
    try:
        if numbers_as_text:
            return yaml.load(text, Loader=TextScalars)
        return yaml.load(text, Loader=UniqueKeys)
    except RecursionError:
        raise error(f"{location}: cannot be read: nested too deeply") from None
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise error(
            f"{location}{where}: not YAML: {getattr(problem, 'problem', None) or 'cannot be parsed'}"
        ) from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return isinstance(value, str)


class Problems:
    """What is wrong with a document, gathered so that a person reads all of it at once."""

    def __init__(self) -> None:
        self.found: list[str] = []

    @contextmanager
    def section(self) -> Iterator[None]:
        """Read a part on whose values no other part depends; what ends its reading is one more problem.

        A part that has problems already stands in for them with values of its own, and what is wrong with these is not
        the document's fault.
        """
        before = len(self.found)
        try:
            yield
        except DocumentError as error:
            if len(self.found) == before and str(error) not in self.found:
                self.found.append(str(error))

    def refuse(self, source: str, error: type[DocumentError]) -> None:
        """Raise what was found, in one line; nothing where there is nothing."""
        if len(self.found) == 1:
            raise error(self.found[0])
        if self.found:
            parts = [problem.removeprefix(f"{source}: ") for problem in self.found]
            more = f" and {len(parts) - MOST_PROBLEMS} more" if len(parts) > MOST_PROBLEMS else ""
            listed = " ".join(f"({i}) {part}" for i, part in enumerate(parts[:MOST_PROBLEMS], 1))
            raise error(f"{source}: {len(parts)} problems: {listed}{more}")


class Node:
    """A place in the YAML document that knows its own path, for errors a person can act on.

    Parameters
    ----------
    value : object
        What YAML made of the place.
    path : str
        Keys that lead there; empty for the whole document.
    source : str
        Name of the file, for messages.
    error : type of DocumentError
        Raised for a value that cannot be used.
    problems : Problems, optional
        Where to gather what is wrong instead of raising the first; what is read then stands in for it.
    """

    def __init__(
        self,
        value: Any,
        path: str,
        source: str,
        error: type[DocumentError] = DocumentError,
        problems: Problems | None = None,
    ) -> None:
        self._error = error
        self._problems = problems
        self._missing = False
        self.value = value
        self.path = path
        self.source = source
        self._taken: dict[str, Node] = {}

    def fail(self, problem: str) -> NoReturn:
        raise self._error(self._locate(problem))

    def _locate(self, problem: str) -> str:
        if len(problem) > 2 * SHOWN:
            problem = f"{problem[:SHOWN]} ... {problem[-SHOWN:]}"
        return f"{self.source}: {self.path or 'document'} {problem}"

    def _complain(self, complaint: str) -> None:
        """Raise a complaint, or gather it; of what is missing nothing more is said."""
        if self._problems is None:
            raise self._error(complaint)
        if not self._missing:
            self._problems.found.append(complaint)

    def _child(self, value: Any, path: str) -> Node:
        child = Node(value, path, self.source, self._error, self._problems)
        child._missing = self._missing
        return child

    _REQUIRED = object()

    def take(self, key: str, default: Any = _REQUIRED) -> Node:
        path = self._path_of(key)
        if self._missing:
            return self._child(None if default is self._REQUIRED else default, path)
        if not isinstance(self.value, dict):
            self.fail(f"must be a mapping of keys, not {type(self.value).__name__}")
        missing = key not in self.value and default is self._REQUIRED
        if missing:
            self._complain(f"{self.source}: key '{path}' is missing")
        child = self._child(self.value.get(key, None if missing else default), path)
        child._missing |= missing
        self._taken[key] = child
        return child

    def _path_of(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def entries(self) -> list[Node]:
        """Return the entries of a list, each with its number from 1."""
        return [self._child(value, f"{self.path}[{i + 1}]") for i, value in enumerate(self.value)]

    def with_defaults(self) -> Any:
        """Return the value with defaults of keys that were taken written out, other than none and empty ones."""
        if not isinstance(self.value, dict):
            return self.value
        taken = {key: child.with_defaults() for key, child in self._taken.items()}
        return self.value | {key: value for key, value in taken.items() if value not in (None, {}, "")}

    def has(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def close(self) -> None:
        """Refuse keys nobody took."""
        if self._missing:
            return
        for key in [str(key) for key in self.value if key not in self._taken]:
            where = f" in '{self.path}'" if self.path else ""
            known = sorted(self._taken)
            meant = f"{self.source}: key '{self._path_of(nearest(key, known) or '')}' is missing"
            if self._problems is not None and meant in self._problems.found:
                self._problems.found.remove(meant)  # it is there, misspelt
            self._complain(
                f"{self.source}: unknown key '{key}'{where}; allowed: {', '.join(known)}{did_you_mean(key, known)}"
            )

    def text(self) -> str:
        if not isinstance(self.value, str):
            self._complain(self._locate(f"= {self.value!r}: must be text"))
            return ""
        return self.value

    def choice(self, allowed: tuple[str, ...]) -> str:
        """One of several words; nothing stands in for it, because what else is to be there depends on it."""
        if self.value not in allowed:
            near = did_you_mean(self.value, allowed) if isinstance(self.value, str) else ""
            complaint = f"= {self.value!r}: must be one of {', '.join(allowed)}{near}"
            self._complain(self._locate(complaint))
            self.fail(complaint)
        return self.value

    def number(self) -> float:
        return self._number("")

    def positive(self) -> float:
        return self._number("must be greater than zero", lambda number: number > 0)

    def positive_or_none(self) -> float | None:
        return None if self.value is None else self.positive()

    def not_negative(self) -> float:
        return self._number("must not be negative", lambda number: number >= 0)

    def _number(self, expected: str, allowed: Callable[[float], bool] = bool) -> float:
        """Return a finite number; where there is none, 1 stands in for it."""
        problem = ""
        number = float("inf")
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            # YAML 1.1 takes 5e-5 for text
            hint = "; write it with a point, as in 5.0e-5" if _is_number(self.value) else ""
            problem = f"= {self.value!r}: must be a number{hint}"
        else:
            with suppress(OverflowError):
                number = float(self.value)
            if not np.isfinite(number):
                problem = f"= {str(self.value)[:40]}: must be finite"
            elif abs(number) > LARGEST:
                problem = f"= {number:g}: no machine has more than {LARGEST:g}"
            elif expected and not allowed(number):
                problem = f"= {number:g}: {expected}"
        if problem:
            self._complain(self._locate(problem))
            return 1.0
        return number

    def array(self, *shape: int, not_negative: bool = False) -> FloatArray:
        """Finite numbers; where there are none, ones stand in for them."""
        expected = " x ".join(str(n) for n in shape)
        problem = ""
        array = np.ones(shape)
        try:
            array = np.array(self.value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            problem = f"must be {expected} numbers"
        if not problem and array.shape != shape:
            size = " x ".join(str(n) for n in array.shape) or "a single value"
            problem = f"must be {expected} numbers, found {size}"
        elif not np.all(np.isfinite(array)):
            problem = "holds a value that is not finite"
        elif np.any(np.abs(array) > LARGEST):
            problem = f"holds a value beyond {LARGEST:g}, which no machine has"
        elif not_negative and np.any(array < 0):
            problem = f"= {self.value}: must not be negative"
        if problem:
            self._complain(self._locate(problem))
            return frozen(np.ones(shape))
        return frozen(array)
