"""Recursive estimators: one equation after the other, each with a covariance that stays positive definite."""
