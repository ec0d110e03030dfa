"""Paths of the platform: waypoints, the smooth curve through them, and what is worked out beside control."""
