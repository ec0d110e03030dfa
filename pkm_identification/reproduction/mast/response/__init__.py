"""Frequency responses of the table's axes: transfer functions, resonance, the closed position loop, its bandwidth."""
