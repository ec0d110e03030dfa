"""Estimation: parameter sets, equations, least squares, EKF, UKF."""
