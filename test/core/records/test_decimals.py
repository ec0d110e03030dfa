# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Cells become the doubles that float() makes of them, bit for bit; what is unusual is left to others."""

from __future__ import annotations

import itertools
import os
import random
import struct
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from pkm_identification.errors import LogError
from pkm_identification.records import table
from pkm_identification.records.decimals import LARGEST, SMALLEST, decimals, powers_of_ten
from pkm_identification.records.table import read_table
from pkm_identification.records.text_lines import Lines

WIDTH = 8


def any_double(rng):
    """Of any exponent, but finite."""
    while True:
        (value,) = struct.unpack("d", rng.randbytes(8))
        if np.isfinite(value):
            return value


def signed(rng, text):
    return rng.choice(("", "+", "-")) + text


def exactly(number: int, power_of_two: int) -> str:
    """All digits of number 2^power."""
    if power_of_two >= 0:
        return str(number << power_of_two)
    return f"{number * 5**-power_of_two}e{power_of_two}"


def halfway(rng, value):
    """All digits of the middle between two doubles, or a little above or below."""
    bits = struct.unpack("q", struct.pack("d", abs(value)))[0]
    exponent, fraction = bits >> 52, bits % 2**52
    double = fraction + (2**52 if exponent else 0)
    text = exactly(2 * double + 1, max(exponent, 1) - 1076)
    digits, _, power = text.partition("e")
    power = int(power or 0) - 20
    return signed(rng, f"{int(digits + '0' * 20) + rng.choice((-1, 0, 0, 1))}e{power}")


def cut_halfway(rng, value):
    """The first digits of such a middle."""
    digits, _, power = halfway(rng, value).lstrip("+-").partition("e")
    kept = rng.randint(15, 22)
    return f"{digits[:kept]}e{int(power) + max(len(digits) - kept, 0)}"


def near_a_power_of_two(rng):
    value = 2.0 ** rng.randint(-1074, 1023)
    for _ in range(rng.randint(0, 2)):
        value = float(np.nextafter(value, rng.choice((0.0, np.inf))))
    return rng.choice((repr(value), f"{value:.{rng.randint(14, 22)}e}"))


def by_digits(rng):
    whole, part = (str(rng.randrange(10 ** rng.randint(1, 24))) for _ in range(2))
    zeros = "0" * rng.randint(0, 25)
    text = rng.choice(
        (f"{zeros}{whole}", f"{whole}.", f".{zeros}{part}", f"{whole}.{part}", f"0.{zeros}{part}")
    )
    return signed(
        rng, text + rng.choice(("", f"e{rng.randint(-30, 30)}", f"E+{rng.randint(0, 12):02d}", "e-05"))
    )


KINDS = {
    "shortest": lambda rng: repr(any_double(rng)),
    "17 digits": lambda rng: f"{any_double(rng):.17g}",
    "n digits": lambda rng: f"{any_double(rng):.{rng.randint(1, 25)}g}",
    "measured": lambda rng: repr(rng.gauss(0.0, 10.0)),
    "n decimals": lambda rng: f"{rng.gauss(0.0, 1.0) * 10 ** rng.randint(-5, 8):.{rng.randint(0, 30)}f}",
    "counts": lambda rng: rng.choice(("{}", "{}.0")).format(rng.randint(-(2**40), 2**40)),
    "integers": lambda rng: str(rng.randint(-(2 ** rng.randint(1, 90)), 2 ** rng.randint(1, 90))),
    "parts of powers of two": lambda rng: repr(rng.getrandbits(31) * 2.0 ** -rng.randint(1, 40)),
    "halfway": lambda rng: halfway(rng, any_double(rng)),
    "halfway of the usual": lambda rng: halfway(rng, rng.gauss(0.0, 1e3)),
    "cut halfway": lambda rng: cut_halfway(rng, any_double(rng)),
    "cut halfway of the usual": lambda rng: cut_halfway(rng, rng.gauss(0.0, 1e3)),
    "near powers of two": near_a_power_of_two,
    "subnormal": lambda rng: repr(rng.getrandbits(rng.randint(1, 54)) * 5e-324),
    "any exponent": lambda rng: signed(rng, f"{rng.randrange(10 ** rng.randint(1, 25))}e{rng.randint(-400, 400)}"),
    "by digits": by_digits,
}  # fmt: skip


def read(cells: list[str]):
    """What becomes of them, WIDTH cells in a line, of which Python may decide one."""
    text = "\n".join(",".join(line) for line in itertools.zip_longest(*[iter(cells)] * WIDTH, fillvalue="0"))
    values = decimals(Lines(text.encode()), WIDTH, list(range(WIDTH)))
    assert values is not None
    return values.ravel()[: len(cells)]


def assert_as_float(cells: list[str]) -> None:
    # Python decides few of one kind in eight; between others there is room for all of them
    among = [cell for each in cells for cell in (each, *["1.5"] * 7)]
    found = read(among)[::8]
    wanted = np.array([float(cell) for cell in cells])
    wrong = np.flatnonzero(found.view(np.uint64) != wanted.view(np.uint64))
    assert [(cells[i], found[i], wanted[i]) for i in wrong[:3]] == []


@pytest.mark.parametrize("kind", KINDS)
def test_cells_become_the_doubles_nearest_to_them(kind):
    rng = random.Random(kind)
    assert_as_float([KINDS[kind](rng) for _ in range(1000)])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_so_do_hundreds_of_thousands(kind):
    rng = random.Random(f"{kind}, many")
    assert_as_float([KINDS[kind](rng) for _ in range(25_000 if "half" in kind else 50_000)])


@pytest.mark.slow
def test_a_million_measured_ones_need_no_help(monkeypatch):
    monkeypatch.setattr("pkm_identification.records.decimals.UNDECIDED", 10**9)
    rng = np.random.default_rng(4)
    for values in (rng.normal(size=10**6), rng.normal(size=10**6) * 10.0 ** rng.integers(-200, 3, 10**6)):
        assert np.array_equal(read([*map(repr, values.tolist())]), values)


CELLS = (
    *("+1.5", "-1.5", ".5", "5.", "-.5e1", "1e5", "1E-05", "1e+05", "007", "00.50", "0", "-0", "-0.0", "+0", "0e999"),
    *(" 1.5", "1.5 ", "\t1.5 \t", "nan", "NaN", " nan ", "-nan", "+nan", "inf", "-Inf", "+INFINITY", " infinity"),
    *("1e999", "-1e999", "1e-999", "1e99999999999999999999", "1e-99999999999999999999", "1e00000000000000000000001"),
    *("1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "2e308", "1e308", "1e309"),
    *("2.2250738585072014e-308", "2.2250738585072011e-308", "4.9e-324", "2.5e-324", "2.4e-324", "1e-342", "1e-343"),
    *("9007199254740992", "9007199254740993", "9007199254740993.0000000000000000000000001", "9007199254740994"),
    *("0.50000000000000000000", "0.50000000000000000001", "1" + "0" * 400, "0." + "0" * 400 + "1e401", "9" * 30),
    *("18446744073709551615", "18446744073709551616", "9999999999999999999", "10000000000000000000", "8.5e22", "1e23"),
)  # fmt: skip


@pytest.mark.parametrize("cell", CELLS)
def test_all_that_is_a_number_is_read(cell):
    assert_as_float([cell])


@pytest.mark.parametrize("cell", ["", " ", "\t "])
def test_an_empty_cell_is_nan(cell):
    values = decimals(Lines(f"1,{cell}\n{cell},2\n3,4".encode()), 2, [0, 1])
    nan = float("nan")
    assert values.tobytes() == np.array([[1.0, nan], [nan, 2.0], [3.0, 4.0]]).tobytes()


UNUSUAL = (
    *("1_0", "0x10", "1e", "1e+", "e5", ".", "+", "-", "+.", ".e5", "1 2", "--1", "+-1", "- 1", "1..5", "1.5.5"),
    *("nano", "na", "nan(1)", "infin", "1d5", "1f", "\x0b1", "1\x0c", "1\xa0", "\u0663", "1\u2212", "'1'", '"1"', "1;"),
)  # fmt: skip


@pytest.mark.parametrize("cell", UNUSUAL)
def test_what_is_unusual_is_left_to_others(cell):
    text = f"0,{cell},2\n" + "0,1,2\n" * 20
    assert decimals(Lines(text.encode()), 3, [0, 1, 2]) is None
    assert decimals(Lines(text.encode()), 3, [2, 0])[0].tolist() == [2.0, 0.0]


def test_so_are_many_cells_that_only_python_decides():
    lines = Lines(b"1e-320,1\n" * 100)
    assert decimals(lines, 2, [0, 1]) is None
    assert decimals(lines, 2, [1]).tolist() == [[1.0]] * 100


@pytest.mark.parametrize("line", ["1", "1,2", "1,2,3,4", "1,2,", "1,2,3,", ",", " "])
@pytest.mark.parametrize("index", [[0], [1], [2], [0, 1, 2]])
def test_lines_of_another_width_are_left_to_others(line, index):
    values = decimals(Lines(f"1,2,3\n{line}\n1,2,3".encode()), 3, index)
    assert (values is None) == (line.count(",") != 2)


def test_columns_stand_in_the_order_wanted_and_empty_lines_are_none():
    lines = Lines(b"\n1,2,3\n\n\n4,x,6\n7,8,9\n\n").part(0, 2)
    assert decimals(lines, 3, [2, 0]).tolist() == [[3.0, 1.0], [6.0, 4.0]]
    assert decimals(lines, 3, []) is None


def test_powers_are_cut_off_behind_128_bits():
    powers = powers_of_ten()
    columns = (column.tolist() for column in powers[1:])
    for power, high, low, exponent in zip(range(SMALLEST, LARGEST + 1), *columns, strict=True):
        assert high >= 2**63
        unit = Fraction(2) ** (exponent - 127)
        assert 0 <= Fraction(10) ** power - (high * 2**64 + low) * unit < unit


DAMAGES = {
    "no number": "x",
    "underscores": "1_0",
    "a letter of another script": "\u0663",
    "half an exponent": "1e",
    "a cell more": "1,2",
    "a letter behind": "1.5x",
    "text that is read by NumPy": "\x0c1.5",
}


def outcome(path):
    try:
        found = read_table(path, lambda names: names[:3])
    except LogError as error:
        return str(error)
    return found.values.tobytes(), found.line.tolist()


@pytest.mark.parametrize("empty", [False, True])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("place", [0, 1, 3])
def test_damage_is_told_as_by_the_other_reader(tmp_path, monkeypatch, damage, place, empty):
    rows = [[str(row), "0.25", "-1.5e-3", "n"] for row in range(40)]
    rows[30][place] = damage
    if empty:
        rows[20][1] = " "
    path = tmp_path / "log.csv"
    path.write_text("\n".join(",".join(row) for row in [["a", "b", "c", "d"], *rows]), encoding="utf-8")
    other = outcome(path)
    monkeypatch.setattr(table, "WORTH_A_KERNEL", 0)
    monkeypatch.setattr(table, "WORTH_THE_FIRST", 0)
    assert outcome(path) == other


def test_a_log_is_read_to_the_same_bits_as_by_the_other_reader(tmp_path, monkeypatch):
    rng = random.Random(3)
    kinds = [kind for name, kind in KINDS.items() if "half" not in name]
    lines = [",".join(rng.choice(kinds)(rng) for _ in range(4)) for _ in range(500)]
    lines[200:200] = ["", "d,c,b,a"]
    path = tmp_path / "log.csv"
    path.write_text("\n".join(["a,b,c,d", *lines]))
    other = outcome(path)
    monkeypatch.setattr(table, "WORTH_THE_FIRST", 0)
    monkeypatch.setattr(table, "WORTH_A_KERNEL", 0)
    assert outcome(path) == other
    monkeypatch.setattr(table, "_read_numbers", None)
    assert outcome(path) == other


def test_the_kernel_is_not_loaded_for_a_short_text(tmp_path, monkeypatch):
    path = tmp_path / "log.csv"
    path.write_text("a,b\n" + "1,2\n" * 1000)
    monkeypatch.setattr(table, "decimals", None)
    values = read_table(path, lambda names: names).values
    assert values.tolist() == [[1.0, 2.0]] * 1000


@pytest.mark.slow
def test_where_numba_is_switched_off_long_texts_are_read_as_short_ones(tmp_path):
    """Uncompiled, the kernel would take a minute for a megabyte, and its eight bits of a character overflow."""
    path = tmp_path / "log.csv"
    path.write_text("a,b\n1e-05,1e30\n0.1,12345678901234567890\n")
    code = (
        "from pkm_identification.records import table; table.WORTH_THE_FIRST = table.WORTH_A_KERNEL = 0; "
        "from pathlib import Path; import sys; "
        "print(table.read_table(Path(sys.argv[1]), lambda names: names).values.tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str([[1e-05, 1e30], [0.1, 12345678901234567890.0]])
