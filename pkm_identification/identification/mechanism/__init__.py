"""Identification of mechanisms that are no hexapods, from coordinates and forces of their drives."""
