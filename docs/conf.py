# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The documentation site: `make docs`. Pages of commands, messages and the public API are made from the code.

rosdoc2 copies this folder, puts the package on the path and leaves out the gallery, whose extension it does not know.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from generated_pages import write_pages  # noqa: E402

import pkm_identification  # noqa: E402

project = "pkm_identification"
author = "pkm_identification maintainers"
copyright = f"2026 {author}"
release = pkm_identification.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# Headings are link targets, as on a repository's pages.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]

autodoc_typehints = "none"  # numpydoc sections say types with shapes and units
autodoc_member_order = "bysource"
autosummary_generate = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r".*",
    "abort_on_example_error": True,
    "plot_gallery": True,
    "download_all_examples": False,
    "show_memory": False,
    "capture_repr": (),  # what is printed is meant, not what Matplotlib returns
    "min_reported_time": 1e6,
    "write_computation_times": False,
    "remove_config_comments": True,
    "within_subsection_order": "ExampleTitleSortKey",
}

html_theme = "furo"
html_title = f"pkm identification {release}"  # the sidebar is narrower than the package's name
html_static_path = ["static"]
html_css_files = ["pictures.css"]
html_show_sourcelink = False

# no C++, so nothing of Doxygen
rosdoc2_settings = {"enable_breathe": False, "enable_exhale": False}

write_pages(HERE / "generated")
