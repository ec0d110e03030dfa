"""Closing the loops of MuJoCo's open tree exactly: universal joints at the base, or at the platform."""
