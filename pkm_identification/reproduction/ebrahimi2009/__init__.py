"""Homogeneous units of the regressor (Ebrahimi and Kövecses 2009)."""
