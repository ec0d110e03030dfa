# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.real_machines --data DIR`: docs/real_machines.md from logs that the reader fetches himself.

mkdir real && cd real
git clone https://github.com/shamilmamedov/dynamic_calibration
git clone https://github.com/marcocognetti/FrankaEmikaPandaDynModel
git clone https://github.com/thanhndv212/figaroh-examples
git clone https://github.com/dfki-ric-underactuated-lab/double_pendulum
git clone https://github.com/jsduenass/Stewart_Gough_platform_UNAL
python -m benchmarks.real_machines --data real
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from pkm_identification.errors import PkmError
from pkm_identification.machines.load import load_machine
from pkm_identification.mechanisms.multibody.mechanism import Mechanism

from .answers import compile_kernels, identify, write_log
from .logs import SUBJECTS, Subject
from .page import Result, read_sections, write_page, write_pictures, write_section
from .peers import held_out_errors, installed, prepare

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Identify the machines, and write the page; or one of them, and its section anew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the clones")
    parser.add_argument("--only", choices=[one.name for one in SUBJECTS], help="write one machine's section")
    parser.add_argument("--causes", type=int, default=2, metavar="N", help="causes to estimate besides (2)")
    parser.add_argument("--out", type=Path, default=ROOT / "docs", help="folder of the page (default: docs)")
    options = parser.parse_args()
    compile_kernels()
    page = options.out / "real_machines.md"
    sections = read_sections(page) if options.only and page.is_file() else {}
    for subject in SUBJECTS:
        if options.only not in (None, subject.name):
            continue
        folder = options.data / subject.folder
        if not folder.is_dir():
            print(
                f"{folder}: is not there; git clone https://github.com/{subject.repository}", file=sys.stderr
            )
            return 2
        try:
            result = identify_subject(subject, folder, options.causes)
        except PkmError as error:
            print(error, file=sys.stderr)
            return 2
        write_pictures(result, options.out / "images" / "real_machines")
        sections[subject.title] = write_section(result)
        # what is done is kept: a machine takes minutes
        page.write_text(write_page(sections, installed()), encoding="utf-8")
    return 0


def identify_subject(subject: Subject, folder: Path, causes: int) -> Result:
    """Return what this package and its peers make of a machine's logs, some causes of misfit estimated besides."""
    training, held_out = subject.read(folder)
    with tempfile.TemporaryDirectory() as made:
        paths = []
        for k, log in enumerate(training):
            paths.append(Path(made) / f"training_{k + 1}.csv")
            write_log(paths[-1], subject, log)
        last = Path(made) / "held_out.csv" if held_out else None
        if held_out and last:
            write_log(last, subject, held_out)
        answer = identify(subject, Path(made), paths, last)
        print(f"{subject.name}: {answer.seconds:.1f} s, {answer.verdict or answer.words}", file=sys.stderr)
        if not answer.document or held_out is None:
            return Result(subject, answer)
        again = {}
        named = [cause["name"] for cause in answer.causes[:causes]]
        for also in [*named, ",".join(named)] if len(named) > 1 else named:
            one = identify(subject, Path(made), paths, last, also)
            if one.document:
                again[also] = one
    mechanism: Mechanism = load_machine(subject.machine).mechanism  # type: ignore[union-attr]
    samples = [prepare(log, answer.cutoff) for log in training]
    kept = prepare(held_out, answer.cutoff)
    peers = {peer: held_out_errors(peer, mechanism, samples, kept) for peer in installed()}
    return Result(subject, answer, again, peers)


if __name__ == "__main__":
    sys.exit(main())
