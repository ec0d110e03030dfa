# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""What a machine file says of how well one of its numbers is known: the nearest statement, as a standard deviation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pkm_identification.mechanisms.known_statements import Path, Statements, Width
from pkm_identification.mechanisms.multibody.description.known_constants import evaluate
from pkm_identification.mechanisms.tolerances import DriveTolerances

from .records import DEFAULT, WIDTH


@dataclass(frozen=True)
class KnownFile:
    """A machine file, and what it says of how well its numbers are known.

    Attributes
    ----------
    document : mapping
        The file, all defaults written out.
    statements : Statements
        `known` and `+-`.
    tolerances : DriveTolerances
        Of what the file has no number of.
    names : mapping of str to str
        What that section calls kinds of numbers, where it is not the kind.
    """

    document: Mapping[str, Any]
    statements: Statements
    tolerances: DriveTolerances
    names: Mapping[str, str] = field(default_factory=dict)

    def tolerance_key(self, kind: str) -> str:
        """Return the key that states the width of a number of which the file has none."""
        return f"tolerances.{self.names.get(kind, kind)}"

    def find_how(self, key: str) -> tuple[str, Width | None]:
        """Return how a number is known, and the width that the file states of it."""
        statement = self.statements.find_nearest(key)[1]
        if isinstance(statement, Width):
            return WIDTH, statement
        return statement or DEFAULT, None

    def find_width(
        self, key: str, value: float, usual: Mapping[str, float], of_file: bool = True
    ) -> tuple[str, float]:
        """Return how a number is known, and its standard deviation.

        Parameters
        ----------
        key : str
        value : float
        usual : mapping of str to float
            Standard deviations by words; a word that is not there says nothing of such a number.
        of_file : bool
            Whether what is said of the whole file is said of this number.
        """
        where, _ = self.statements.find_nearest(key)
        how, stated = self.find_how(key)
        if how not in (*usual, WIDTH) or not (where or of_file):
            return DEFAULT, usual[DEFAULT]
        if stated is None:
            return how, usual[how]
        return how, stated.size * (abs(value) or usual[DEFAULT]) if stated.relative else stated.size

    def find_number(self, key: str) -> float:
        """Return a number of the file; 0 of a machine that was made without one."""
        if key.split(".")[0] not in self.document:
            return 0.0
        return evaluate(self._find_node(tuple(key.split("."))), self.document.get("constants") or {})

    def list_widths(self) -> Iterator[tuple[str, float]]:
        """Yield the keys of numbers with a stated width, each with it; of a list those of its entries."""
        for path, statement in self.statements.stated.items():
            node = self._find_node(path)
            if isinstance(statement, Width) and not isinstance(node, Mapping):
                for key in _list_keys(path, node):
                    size = statement.size * (abs(self.find_number(key)) if statement.relative else 1.0)
                    if size > 0.0:
                        yield key, size

    def list_guessed_constants(self) -> Iterator[str]:
        """Yield the keys of constants that are guessed, each by its own key."""
        for path, statement in self.statements.stated.items():
            if path[:1] == ("constants",) and len(path) == 2 and statement == "guessed":
                yield ".".join(path)

    def _find_node(self, path: Path) -> Any:
        node: Any = self.document
        for key in path:
            node = node[int(key)] if isinstance(node, list) else node[key]
        return node


def _list_keys(path: Path, node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for k, one in enumerate(node):
            yield from _list_keys((*path, str(k)), one)
    else:
        yield ".".join(path)
