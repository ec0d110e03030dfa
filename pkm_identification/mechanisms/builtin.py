"""Descriptions that come with the package."""

from __future__ import annotations

from pathlib import Path


def builtin_files(folder: str) -> dict[str, Path]:
    """Paths of the descriptions in a folder of `config/` (`machines`, `mechanisms`), by name."""
    package = Path(__file__).resolve().parents[1]
    for place in (package / "config" / folder, package.parent / "config" / folder):
        if place.is_dir():
            return {path.stem: path for path in sorted(place.glob("*.yaml"))}
    return {}
