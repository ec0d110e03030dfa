"""The robot: the arm with its five hydraulic servos, nonlinear, of order 25 (Machielsen 1983, chapter 7.2)."""
