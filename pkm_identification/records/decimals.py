# Copyright 2026 pkm_identification maintainers
# SPDX-License-Identifier: Apache-2.0

"""Cells of a CSV text as doubles, correctly rounded: compiled, and in doubt left to others.

A cell is read as w 10^q with w of up to 19 digits. Where w and the power of ten are doubles without error, their one
product or quotient is the nearest double (Clinger, How to read floating point numbers accurately, 1990). Else w is
multiplied by the first 128 bits of 5^q, which mostly shows where the product lies between two doubles (Lemire, Number
parsing at a gigabyte per second, Software: Practice and Experience 51, 2021). What that does not decide, such as
subnormal numbers and the middle between two doubles, is left to Python, cell by cell.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pkm_identification.numerics.arrays import FloatArray
from pkm_identification.numerics.compiled import compile_inline, kernel

from .text_lines import NUMBER, Lines

LARGEST, SMALLEST = 308, -342  # powers of ten: beyond them 19 digits are infinite or nothing
DIGITS = 19  # as many always go into 64 bits
EXACT_POWER = 22  # 10^22 is the largest power of ten that is a double
LONGEST_EXPONENT = 10_000  # what is beyond is left to Python
UNDECIDED = 8  # one cell of so many may be left to Python; where there are more, another reader is as fast

COMMA, PLUS, MINUS, POINT, ZERO, NINE, BLANK, TAB = (ord(sign) for sign in ",+-.09 \t")
SMALL_A, SMALL_E, SMALL_N = (ord(letter) for letter in "aen")
SMALL = 32  # the bit that a small letter has and a capital one has not

# What a cell holds: a number with all its digits or its first ones, nothing or 'nan', something else.
WHOLE, CUT, EMPTY, OTHER = range(4)

# Of 64 bits, as unsigned numbers: with signed ones, Numba's results would be doubles.
NONE, ONE, TEN = np.uint64(0), np.uint64(1), np.uint64(10)
ALL = np.uint64(2**64 - 1)
HALF, HALF_BITS = np.uint64(32), np.uint64(2**32 - 1)
EXACT = np.uint64(2**53)  # integers below it are doubles
SIGN = np.uint64(2**63)
FRACTION = np.uint64(2**52 - 1)
BELOW_ROUNDING = np.uint64(2**9 - 1)  # bits of a product's first 64 below those that are kept and the next


class Powers(NamedTuple):
    """Powers of ten.

    Attributes
    ----------
    exact : ndarray, shape (23,)
        10^0 to 10^22.
    high, low : ndarray of uint64, shape (651,)
        Of 10^SMALLEST to 10^LARGEST the first 128 bits, cut off; the first bit is 1.
    exponent : ndarray of int64, shape (651,)
        Power of two of the first bit.
    """

    exact: FloatArray
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    exponent: NDArray[np.int64]


@cache
def powers_of_ten() -> Powers:
    """Return what `Powers` says, from exact integers."""
    bits, exponent = [], []
    for power in range(SMALLEST, LARGEST + 1):
        five = 5 ** abs(power)
        length = five.bit_length()
        if power < 0:
            bits.append((1 << (127 + length)) // five)
            exponent.append(power - length)
        else:
            bits.append(five << 128 - length if length < 128 else five >> length - 128)
            exponent.append(power + length - 1)
    return Powers(
        np.array([float(10**power) for power in range(EXACT_POWER + 1)]),
        np.array([each >> 64 for each in bits], np.uint64),
        np.array([each % 2**64 for each in bits], np.uint64),
        np.array(exponent),
    )


def decimals(lines: Lines, width: int, index: list[int]) -> FloatArray | None:
    """Return numbers of some columns, or None where that is left to another reader, which also says what is wrong.

    Parameters
    ----------
    lines : Lines
    width : int
        Number of cells that each line is to have.
    index : list of int
        Columns, from 0, in the order wanted.

    Returns
    -------
    values : ndarray, shape (N, len(index)), or None
        Bit for bit what float() makes of a cell, with NaN of one that is empty. None where a line has another number of
        cells, a cell is not what `NUMBER` describes, more than one cell in eight needs Python to decide (as 1e-320
        does), no column is asked for or one twice.
    """
    if not index or len(set(index)) < len(index):
        return None
    entry_index = np.full(width, -1)
    entry_index[index] = np.arange(len(index))
    values = np.empty((len(lines), len(index)))
    undecided = np.empty((values.size // UNDECIDED + 1, 4), np.int64)
    text = np.frombuffer(lines.content, np.uint8)
    count = _fill(
        text, lines.start, lines.end, entry_index, powers_of_ten(), values, values.view(np.uint64), undecided
    )
    if count < 0:
        return None
    for row, column, first, stop in undecided[:count].tolist():
        cell = lines.content[first:stop]
        if not NUMBER.fullmatch(cell):
            return None
        values[row, column] = float(cell)
    return values


def warm_up() -> None:
    """Compile what `decimals` needs, if it is not on disk."""
    decimals(Lines(b"0"), 1, [0])


@kernel
def _fill(text, start, end, index, powers, values, bits, undecided):
    """Fill `values`, whose bits are `bits`, and put the cells left over into `undecided`: row, column, first, stop.

    Returns their number; -1 where a line has not len(place) cells or more are left over than fit.
    """
    count = 0
    last = len(index) - 1
    for row in range(len(start)):
        at, stop = start[row], end[row]
        for cell in range(last + 1):
            column = index[cell]
            if column >= 0:
                first = at
                at, mantissa, power, negative, kind = _scan(text, at, stop)
                if at < stop and text[at] != COMMA:
                    kind = OTHER
                if kind == EMPTY:
                    values[row, column] = np.nan
                elif mantissa == NONE:
                    values[row, column] = -0.0 if negative else 0.0
                elif kind == WHOLE and mantissa < EXACT and -EXACT_POWER <= power <= EXACT_POWER:
                    value = np.float64(mantissa)
                    value = value * powers.exact[power] if power >= 0 else value / powers.exact[-power]
                    values[row, column] = -value if negative else value
                elif kind != OTHER:
                    nearest, known = _find_nearest_double(mantissa, power, powers)
                    if kind == CUT:
                        above, above_known = _find_nearest_double(mantissa + ONE, power, powers)
                        known = known and above_known and nearest == above
                    bits[row, column] = nearest | SIGN if negative else nearest
                    if not known:
                        kind = OTHER
                while at < stop and text[at] != COMMA:
                    at += 1
                if kind == OTHER:
                    if count == len(undecided):
                        return -1
                    undecided[count, 0], undecided[count, 1] = row, column
                    undecided[count, 2], undecided[count, 3] = first, at
                    count += 1
            else:
                while at < stop and text[at] != COMMA:
                    at += 1
            if (at == stop) != (cell == last):
                return -1
            at += 1
    return count


@compile_inline
def _scan(text, at, stop):
    """Return where a cell's number ends, w, q, whether it has a minus, and what it is: WHOLE, CUT, EMPTY or OTHER."""
    at = _skip_blanks(text, at, stop)
    if at == stop or text[at] == COMMA:
        return at, NONE, 0, False, EMPTY
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    first = at
    at, mantissa = _scan_digits(text, at, stop, NONE)
    count, power = at - first, 0
    if at < stop and text[at] == POINT:
        at, mantissa = _scan_digits(text, at + 1, stop, mantissa)
        power = first + count + 1 - at
        count -= power
    if count == 0:
        if stop - at >= 3 and at == first and not negative:
            letters = text[at] | SMALL, text[at + 1] | SMALL, text[at + 2] | SMALL
            if letters == (SMALL_N, SMALL_A, SMALL_N):
                return _skip_blanks(text, at + 3, stop), NONE, 0, False, EMPTY
        return at, NONE, 0, False, OTHER
    kind = WHOLE
    if count > DIGITS:
        mantissa, power, kind = _read_first_digits(text, first, at)
    if at < stop and text[at] | SMALL == SMALL_E:
        at, exponent, known = _scan_exponent(text, at + 1, stop)
        power += exponent
        if not known:
            kind = OTHER
    if kind == WHOLE and mantissa >= EXACT:
        while mantissa % TEN == NONE:
            mantissa //= TEN
            power += 1
    return _skip_blanks(text, at, stop), mantissa, power, negative, kind


@compile_inline
def _skip_blanks(text, at, stop):
    while at < stop and (text[at] == BLANK or text[at] == TAB):
        at += 1
    return at


@compile_inline
def _scan_digits(text, at, stop, mantissa):
    """Where a row of digits ends, and these behind those of `mantissa`: the last 64 bits, if they are too many."""
    while at < stop and ZERO <= text[at] <= NINE:
        mantissa = mantissa * TEN + np.uint64(text[at] - ZERO)
        at += 1
    return at, mantissa


@compile_inline
def _scan_exponent(text, at, stop):
    """Return where it ends, the exponent, and whether it is one that is not left to Python."""
    negative = at < stop and text[at] == MINUS
    if negative or (at < stop and text[at] == PLUS):
        at += 1
    first, exponent = at, 0
    while at < stop and ZERO <= text[at] <= NINE:
        if exponent < LONGEST_EXPONENT:
            exponent = 10 * exponent + (text[at] - ZERO)
        at += 1
    return at, -exponent if negative else exponent, at > first and exponent < LONGEST_EXPONENT


@compile_inline
def _read_first_digits(text, at, stop):
    """Return the first DIGITS digits, the power of ten of the last of them, and whether all others are 0."""
    mantissa, count, power, kind = NONE, 0, 0, WHOLE
    behind_point = False
    for index in range(at, stop):
        if text[index] == POINT:
            behind_point = True
            continue
        if count < DIGITS:
            mantissa = mantissa * TEN + np.uint64(text[index] - ZERO)
            if mantissa != NONE:
                count += 1
            if behind_point:
                power -= 1
        else:
            if text[index] != ZERO:
                kind = CUT
            if not behind_point:
                power += 1
    return mantissa, power, kind


@compile_inline
def _find_nearest_double(mantissa, power, powers):
    """Bits of the double nearest to w 10^q, and whether it is certain.

    The true product is at least that with the bits that 10^q was cut off to, and less than 2^64 more of its 192 bits.
    """
    if power < SMALLEST or power > LARGEST:
        return NONE, False
    exponent = powers.exponent[power - SMALLEST] + 64
    width = HALF
    while width != NONE:  # until the first bit is 1
        if mantissa >> (np.uint64(64) - width) == NONE:
            mantissa <<= width
            exponent -= np.int64(width)
        width >>= ONE
    high, middle = _multiply_wide(mantissa, powers.high[power - SMALLEST])
    below = high & BELOW_ROUNDING
    if below == BELOW_ROUNDING or (below == NONE and middle == NONE):
        more, _ = _multiply_wide(mantissa, powers.low[power - SMALLEST])
        middle += more
        if middle < more:
            high += ONE
        if middle == ALL and high & BELOW_ROUNDING == BELOW_ROUNDING:
            return NONE, False
    upper = high >> np.uint64(63)
    exponent -= np.int64(ONE - upper)
    cut = np.uint64(9) + upper
    double = high >> cut
    half = double & ONE
    double >>= ONE
    rest = high & ((ONE << cut) - ONE)
    if half == ONE:
        if rest == NONE and middle == NONE:
            return NONE, False
        double += ONE
        if double == EXACT:
            double >>= ONE
            exponent += 1
    biased = exponent + 1023
    if biased < 1 or biased > 2046:
        return NONE, False
    return np.uint64(biased) << np.uint64(52) | (double & FRACTION), True


@compile_inline
def _multiply_wide(a, b):
    """Upper and lower 64 bits of the product of two numbers of 64 bits."""
    a_high, a_low, b_high, b_low = a >> HALF, a & HALF_BITS, b >> HALF, b & HALF_BITS
    low = a_low * b_low
    cross = a_high * b_low + (low >> HALF)
    other = a_low * b_high + (cross & HALF_BITS)
    return a_high * b_high + (cross >> HALF) + (other >> HALF), a * b
