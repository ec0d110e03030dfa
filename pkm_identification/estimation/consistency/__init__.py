"""Estimates that some machine could have: pseudo-inertias, log-Cholesky coordinates, constrained least squares."""
