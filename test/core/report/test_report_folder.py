# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""The page and the folder: complete, self-contained, and safe with any text in the machine's description."""

import base64
import copy
import dataclasses
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from core.report.made_identification import PRIOR_VALUE, made_fit, made_identification, without

from pkm_identification.errors import OutputError
from pkm_identification.mechanisms.hexapod.machine import Machine
from pkm_identification.report.folder import write_report

pytestmark = pytest.mark.slow

VOID = {"meta", "img", "link"}


class Page(HTMLParser):
    """Checks that tags are balanced and collects texts, images and addresses."""

    def __init__(self, text):
        super().__init__()
        self.open, self.images, self.addresses, self.texts, self.rows = [], [], [], [], 0
        self.names = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.rows += tag == "tr"
        for name, value in attributes:
            if name == "id":
                self.names.add(value)
            if name in ("src", "href"):
                (self.images if tag == "img" else self.addresses).append(value)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_folder_holds_a_complete_report(tmp_path):
    result = dataclasses.replace(made_identification(), fit=made_fit())
    files = write_report(tmp_path / "new" / "out", result, page=tmp_path / "beside.html")
    names = {"estimate.json", "report.html"}
    names |= {
        f"{name}.png"
        for name in ("estimates", "correlation", "convergence", "forces", "residual", "misfit", "machine")
    }
    assert {path.name for path in (tmp_path / "new" / "out").iterdir()} == names
    assert (tmp_path / "beside.html").read_bytes() == files.page.read_bytes()
    page = Page(files.page.read_text(encoding="utf-8"))
    assert all(address.startswith(("#", "data:")) for address in page.addresses)
    anchors = {address[1:] for address in page.addresses if address.startswith("#")}
    assert anchors == {"good", "unknown", "wrong", "next", "origin"} <= page.names
    embedded = {base64.b64decode(image.removeprefix("data:image/png;base64,")) for image in page.images}
    # the table of parameters has its own drawings
    shown = [path for name, path in files.figures.items() if name != "estimates"]
    assert embedded == {path.read_bytes() for path in shown}
    assert files.page.stat().st_size < 6e6
    text = " ".join(page.texts)
    for part in (
        "The estimator converged.",
        "m_p + 6 m_e",
        "15.250",
        "spike",
        "held_out.csv",
        "150 Hz, order 4",
    ):
        assert part in text
    assert str(PRIOR_VALUE)[:6] not in text
    assert page.rows > 20 + 7 + 2
    (tmp_path / "new" / "out" / "notes.txt").write_text("mine")
    write_report(tmp_path / "new" / "out", without(result, "validation"))
    assert "held_out" not in files.page.read_text(encoding="utf-8")
    # figures of the earlier report are gone, what is not ours is not
    left = {path.name for path in (tmp_path / "new" / "out").iterdir()}
    assert left == names - {"forces.png", "residual.png"} | {"notes.txt"}


def test_text_of_the_description_is_shown_not_run(tmp_path):
    document = copy.deepcopy(Machine.load("uf").document)
    document["name"] = "<script>alert(1)</script>"
    document["description"] = 'a & b < c "quoted"'
    result = made_identification(machine=Machine.from_document(document))
    files = write_report(tmp_path, without(result, "trace"))
    page = Page(files.page.read_text(encoding="utf-8"))
    assert 'a & b < c "quoted"' in page.texts
    assert any("<script>alert(1)</script>" in text for text in page.texts)
    assert "<script>alert" not in files.page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["forces.png", "report.html"])
def test_a_folder_with_files_of_our_names_that_are_not_ours_is_refused(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match=rf"{name}: exists and .*choose another folder"):
        write_report(tmp_path, made_identification())
    assert (tmp_path / name).read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="inside: cannot be made: Not a directory"):
        write_report(tmp_path / "file" / "inside", made_identification())


def test_tables_do_not_load_matplotlib_and_figures_not_pyplot():
    code = (
        "import sys; import pkm_identification.report.tables; import pkm_identification.commands.identify; "
        "assert not {'matplotlib', 'plotly'} & set(sys.modules); "
        "import pkm_identification.report.folder; assert 'matplotlib' in sys.modules; "
        "assert 'matplotlib.pyplot' not in sys.modules; "
        "assert 'plotly' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
