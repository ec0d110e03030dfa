# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Where a command's results go: text or JSON on stdout, files as well; a file appears whole or not at all."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pkm_identification.errors import OutputError, one_line
from pkm_identification.progress import hide
from pkm_identification.records.atomic import refuse_impossible, replacing, write_text

from .terminal import paint_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def present(text: str, document: dict[str, Any] | list[dict[str, Any]], destination: str | None) -> None:
    """Print the text for a person; by --json write the document for programs as well, or print it instead ('-').

    The file comes first: nothing is printed when it cannot be written.
    """
    if destination == "-":
        print(_dump(document))
        return
    if destination:
        write_json(destination, document)
    print(paint_rows(text, sys.stdout))


def write_json(path: str | Path, document: dict[str, Any] | list[dict[str, Any]]) -> None:
    """A document as a file."""
    write_text(path, _dump(document) + "\n")


def _dump(document: dict[str, Any] | list[dict[str, Any]]) -> str:
    return json.dumps(document, indent=2, allow_nan=False)


def check_file(path: str | Path | None, flag: str) -> None:
    """Refuse a file that cannot be written, before anything is worked out for it; None and '-' are none.

    Raises
    ------
    OutputError
        If its folder is not there, or it is a folder itself, a link out of its folder, or nothing to write to.
    """
    if path in (None, "-"):
        return
    file = Path(str(path))
    if not file.absolute().parent.is_dir():
        raise OutputError(f"{flag} {path}: there is no folder {file.parent}")
    if file.is_dir():
        raise OutputError(f"{flag} {path}: is a folder")
    refuse_impossible(file)


def say(text: str) -> None:
    """A line about what was done, on stderr: stdout is for results."""
    hide()
    print(one_line(text), file=sys.stderr)


def show_next(*words: str) -> None:
    """Print the command that mostly follows, ready to be typed."""
    print(f"next: {shlex.join(words)}")


def output_folder(name: str) -> Path:
    """Return the folder of --out, made if it is not there.

    Raises
    ------
    OutputError
        If it cannot be made.
    """
    # what makes reports takes longer to load than commands without --out run
    from pkm_identification.report.earlier import make_folder

    folder = Path(name)
    make_folder(folder, "--out")
    return folder


def write_figures(folder: Path, figures: Mapping[str, Figure]) -> None:
    """Figures by name as PNG files."""
    # matplotlib takes longer to load than most commands run
    from pkm_identification.report.figures.style import png

    for name, figure in figures.items():
        with replacing(folder / f"{name}.png") as temporary:
            temporary.write_bytes(png(figure))
