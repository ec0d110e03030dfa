# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Time of the exported inverse dynamics in C: python -m benchmarks.exported_c [--machine uf]

Compiled with gcc -O2; a million calls in a loop of C, at states that change from call to call.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from pkm_identification.exporting.c_code import c_code, c_name
from pkm_identification.mechanisms.hexapod.machine import Machine

CALLS = 1_000_000
MAIN = """
#include <stdio.h>
#include <time.h>
int main(void)
{
    double x[3] = {%s}, r[9] = {%s}, v[6] = {.1, .2, -.1, .3, .2, .1}, a[6] = {1, 2, 3, 2, 1, 3}, f[6], sum = 0.0;
    const double z = x[2];
    clock_t start = clock();
    for (int n = 0; n < %d; n++) {
        x[2] = z + 1e-9 * n;
        if (%s_forces(x, r, v, a, NULL, f, NULL, NULL)) return 1;
        sum += f[0];
    }
    printf("%%.3f us a call (%%g)\\n", 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / %d, sum);
    return 0;
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machine", default="uf")
    machine = Machine.load(parser.parse_args().machine)
    with tempfile.TemporaryDirectory() as name:
        source, program = Path(name) / "timed.c", Path(name) / "timed"
        place, turn = (
            ", ".join(map(repr, map(float, array.ravel())))
            for array in (machine.home_position, machine.home_rotation)
        )
        source.write_text(c_code(machine) + MAIN % (place, turn, CALLS, c_name(machine.name), CALLS))
        subprocess.run(["gcc", "-std=c99", "-O2", str(source), "-o", str(program), "-lm"], check=True)
        for _ in range(3):
            print(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout, end="")


if __name__ == "__main__":
    main()
