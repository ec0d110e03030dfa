"""Oh 2003: UKF identification of hexapods."""
