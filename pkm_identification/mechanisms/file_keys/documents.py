# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The reference page and the JSON Schemas: `python -m pkm_identification.mechanisms.file_keys.documents`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from .hexapod_keys import HEXAPOD_KEYS
from .key import Key, build_file_schema
from .mechanism_keys import MECHANISM_KEYS
from .shared_keys import DEFINITIONS, allow_known

FILES = {
    "machine": ("Machine file of a hexapod", HEXAPOD_KEYS, "machine_file.md"),
    "mechanism": ("File of a mechanism", MECHANISM_KEYS, "mechanisms.md"),
}
PAGE = "docs/file_keys.md"
HEAD = """\
# Every key of machine and mechanism files

Written by `python -m pkm_identification.mechanisms.file_keys.documents` from the declarations in the code, with the
JSON Schemas `config/schema/machine.json` and `config/schema/mechanism.json`. An editor that knows YAML completes and
checks keys by them, for example by a first line

    # yaml-language-server: $schema=config/schema/machine.json

A schema knows keys and shapes. What else must hold (a rigid body's inertia, a geometry that is not singular, an angle
within its range) is said by the commands, all at once. **Bold** keys must be there; `*` stands for names of one's own.

Every section may also have the key `known`, and every number a width, as `3.2 +- 0.1` or `3.2 +- 5 %`: how well it
is known ([machine_file.md](machine_file.md)).
"""


def documents() -> dict[str, str]:
    """Texts of the files by their paths in the repository."""
    pages = {PAGE: _write_page()}
    for name, (title, keys, page) in FILES.items():
        schema = build_file_schema(
            title, f"See docs/{page}.", keys, {"$id": f"pkm_identification/{name}.json"}
        )
        schema = allow_known(schema) | {"$defs": DEFINITIONS}
        pages[f"config/schema/{name}.json"] = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
    return pages


def _write_page() -> str:
    blocks = [HEAD]
    for title, keys, page in FILES.values():
        rows = ["| key | value | what |", "|---|---|---|", *_list_rows(keys, "")]
        blocks.append("\n".join([f"## {title}", f"How it is written: [{page}]({page}).", "", *rows, ""]))
    return "\n".join(blocks)


def _list_rows(keys: Iterable[Key], path: str) -> list[str]:
    rows = []
    for key in keys:
        where = f"{path}{key.name}"
        shown = f"**`{where}`**" if key.required else f"`{where}`"
        words = "section" if key.form is None else key.form.words
        if key.several:
            words = "section, or a list of them"
        rows.append(f"| {shown} | {words} | {key.about} |")
        rows += _list_rows(key.keys, f"{where}.")
        if key.kinds:
            rows += _list_rows_of_kinds(key.kinds, f"{where}.")
    return rows


def _list_rows_of_kinds(kinds: Mapping[str, tuple[Key, ...]], path: str) -> list[str]:
    """Return the key `type`, and each other key once with the types that have it."""
    listed = ", ".join(f"`{name}`" for name in kinds)
    rows = [f"| **`{path}type`** | {listed} | of the drive: it says which other keys there are |"]
    types_of: list[tuple[Key, list[str]]] = []
    for name, keys in kinds.items():
        for key in keys:
            alike = next((types for other, types in types_of if other == key), None)
            if alike is None:
                types_of.append((key, [name]))
            else:
                alike.append(name)
    for key, types in types_of:
        having = "of all" if len(types) == len(kinds) else "of " + ", ".join(f"`{name}`" for name in types)
        rows += _list_rows([replace(key, about=f"{key.about} ({having})")], path)
    return rows


def main(root: Path) -> None:
    """Write them below a folder."""
    for path, text in documents().items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path())
