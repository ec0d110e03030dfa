"""Other programs' descriptions of a machine: URDF for display, MJCF for physics, YAML for ourselves."""
