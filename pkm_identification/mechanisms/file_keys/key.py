# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""A key of a file: what its value looks like, in words, as JSON Schema (draft 2020-12), and to a reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pkm_identification.document import Node

Schema = dict[str, Any]


@dataclass(frozen=True)
class Form:
    """What a value looks like.

    Attributes
    ----------
    words : str
        For the page.
    schema : dict
        For editors.
    read : callable
        Returns the value of a place in a file, and complains where it is not of this form.
    """

    words: str
    schema: Schema
    read: Callable[[Node], Any] = field(default=lambda node: node.value, compare=False)


@dataclass(frozen=True)
class Key:
    """A key.

    Attributes
    ----------
    name : str
        In the file; '*' in a section whose keys are names of one's own.
    about : str
        What it is, with the unit.
    form : Form or None
        Of its value; None of a section, whose keys are `keys`.
    required : bool
    keys : tuple of Key
        Of a section.
    several : bool
        Whether a list of such sections may stand there, too.
    null : bool
        Whether `null` may stand there, which says the same as leaving the key out.
    kinds : dict of str to tuple of Key
        Of a section whose key `type` says which other keys it has: these, by type.
    default : object
        Read in its place where the key is left out; None: nothing is.
    absent : object
        What is read of a key that is left out, or null, where there is no default.
    """

    name: str
    about: str
    form: Form | None = None
    required: bool = False
    keys: tuple[Key, ...] = field(default=())
    several: bool = False
    kinds: Mapping[str, tuple[Key, ...]] = field(default_factory=dict)
    null: bool = False
    default: Any = None
    absent: Any = None

    def read(self, section: Node) -> Any:
        """Return its value in a section, of a section of its own those of its keys by name."""
        place = section.take(self.name) if self.required else section.take(self.name, self.default)
        left_out = self.null or not section.has(self.name)
        if place.value is None and self.default is None and not self.required and left_out:
            return self.absent
        if self.form is not None:
            return self.form.read(place)
        values = read_keys(place, self.keys)
        place.close()
        return values

    @property
    def schema(self) -> Schema:
        """JSON Schema of the value."""
        stated = self._stated
        return {"description": self.about, **({"anyOf": [stated, {"type": "null"}]} if self.null else stated)}

    @property
    def _stated(self) -> Schema:
        """That of a value that is there."""
        if self.form is not None:
            return self.form.schema
        if self.kinds:
            return section_of_kinds(self.kinds)
        section = build_section_schema(self.keys)
        return {"anyOf": [section, {"type": "array", "items": section}]} if self.several else section


def read_keys(section: Node, keys: Iterable[Key]) -> dict[str, Any]:
    """Return the values of a section's keys by name."""
    return {key.name: key.read(section) for key in keys}


def build_section_schema(keys: Iterable[Key]) -> Schema:
    """JSON Schema of a section with these keys, and no others."""
    named = {key.name: key for key in keys}
    schema: Schema = {"type": "object"}
    any_name = named.pop("*", None)
    if named:
        schema["properties"] = {name: key.schema for name, key in named.items()}
    if needed := [name for name, key in named.items() if key.required]:
        schema["required"] = needed
    schema["additionalProperties"] = False if any_name is None else any_name.schema
    return schema


def section_of_kinds(kinds: Mapping[str, tuple[Key, ...]]) -> Schema:
    """JSON Schema of a section with the key `type`, and the other keys that its type has."""
    branches = []
    for name, keys in kinds.items():
        with_type = build_section_schema(keys)
        with_type["properties"] = {"type": True, **with_type["properties"]}
        this = {"properties": {"type": {"const": name}}, "required": ["type"]}
        branches.append({"if": this, "then": with_type})
    words = {"description": "of the drive: it says which other keys there are", "enum": list(kinds)}
    return {"type": "object", "properties": {"type": words}, "required": ["type"], "allOf": branches}


def _list(of: Schema, count: int | None = None) -> Schema:
    return {"type": "array", "items": of} | ({} if count is None else {"minItems": count, "maxItems": count})


_NUMBER: Schema = {"type": "number"}
_ANY = ({"type": "number"}, {"type": "string"})

TEXT = Form("text", {"type": "string"}, Node.text)
NUMBER = Form("number", _NUMBER, Node.number)
POSITIVE = Form("number > 0", {"type": "number", "exclusiveMinimum": 0}, Node.positive)
NOT_NEGATIVE = Form("number >= 0", {"type": "number", "minimum": 0}, Node.not_negative)
FLAG = Form("true or false", {"type": "boolean"})
# Mechanisms are described in exact numbers: 0.30 is 3/10, and expressions may use `constants`
EXACT_NUMBER: Schema = {"anyOf": list(_ANY)}
EXACT = Form("number or expression", EXACT_NUMBER)


def at_most(high: float) -> Form:
    """Return a number from zero to a bound."""
    return Form(f"number from 0 to {high:g}", {"type": "number", "minimum": 0, "maximum": high})


def numbers(count: int, not_negative: bool = False) -> Form:
    """Return a list of numbers."""
    entry = NOT_NEGATIVE.schema if not_negative else _NUMBER
    return Form(
        f"{count} numbers{' >= 0' if not_negative else ''}",
        _list(entry, count),
        lambda node: node.array(count, not_negative=not_negative),
    )


def rows(count: int, width: int) -> Form:
    """Return a list of lists of numbers."""
    return Form(
        f"{count} x {width} numbers",
        _list(_list(_NUMBER, width), count),
        lambda node: node.array(count, width),
    )


def exact_numbers(count: int | None = None) -> Form:
    """Return a list of exact numbers, of any length unless one is stated."""
    words = f"{count} numbers or expressions" if count else "numbers or expressions"
    return Form(words, _list(EXACT_NUMBER, count))


def exact_pairs(width: int) -> Form:
    """Two lists of exact numbers."""
    return Form(f"2 x {width} numbers or expressions", _list(_list(EXACT_NUMBER, width), 2))


def exact_pair() -> Form:
    """Two vectors, one in either body's frame."""
    return exact_pairs(3)


def names(count: int) -> Form:
    """Return a list of texts."""
    return Form(f"{count} names", _list({"type": "string"}, count))


def choice(allowed: Iterable[str | int]) -> Form:
    """One of several words or numbers."""
    listed = list(allowed)
    return Form(
        ", ".join(f"`{word}`" for word in listed),
        {"enum": listed},
        lambda node: node.choice(tuple(word for word in listed if isinstance(word, str))),
    )


def either(*forms: Form) -> Form:
    """One of several forms; a reader gets the last of them."""
    words = " or ".join(form.words for form in forms)
    return Form(words, {"anyOf": [form.schema for form in forms]}, forms[-1].read)


def of_names(form: Form, words: str) -> Form:
    """Return a mapping of names to values of a form."""
    return Form(words, {"type": "object", "additionalProperties": form.schema})


def build_file_schema(title: str, about: str, keys: Iterable[Key], identifier: Mapping[str, str]) -> Schema:
    """Return the JSON Schema of a file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **identifier,
        "title": title,
        "description": about,
        **build_section_schema(keys),
    }
