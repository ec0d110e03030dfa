# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.fuzz --messages 100000 --files 10000`: hostile input at full size, seeded."""

from __future__ import annotations

import argparse
import faulthandler
import sys
import tempfile
from pathlib import Path

from .files import Files
from .outcome import FuzzFailure

HANGS = 1800.0  # s for everything, after which it says where it stands and ends


def main() -> int:
    """Run, print what became of the input; 1 when something did what nothing may do."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000, help="through the nodes' own callbacks")
    parser.add_argument("--over-dds", type=int, default=5_000, metavar="N", help="through a real topic")
    parser.add_argument("--files", type=int, default=10_000, help="logs and machine descriptions")
    parser.add_argument(
        "--bombs", type=float, default=0.0, metavar="GB", help="small files that unpack to so much"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    faulthandler.dump_traceback_later(HANGS, exit=True)
    folder = Path(tempfile.mkdtemp(prefix="pkm_fuzz_"))
    try:
        files = Files(folder, options.seed, goes_on=True)
        files.run(options.files)
        if options.bombs:
            files.run_bombs(int(options.bombs * 1e9))
        for name, outcome in files.outcomes.items():
            print(outcome.line(name), flush=True)
        if files.failures:
            print(
                f"seed {options.seed}: {len(files.failures)} failed",
                *files.failures,
                sep="\n",
                file=sys.stderr,
            )
            return 1
        folder.rmdir()
        if options.messages or options.over_dds:
            from .nodes import fuzz_nodes

            named = zip(
                ("messages", "messages over DDS"),
                fuzz_nodes(options.seed, options.messages, options.over_dds),
                strict=True,
            )
            for name, outcome in named:
                print(outcome.line(name), flush=True)
    except FuzzFailure as failure:
        print(f"seed {options.seed}: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
