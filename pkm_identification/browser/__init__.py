"""What pages show in a browser: the machine in 3D, and scripts that a page holds itself, without any network."""
