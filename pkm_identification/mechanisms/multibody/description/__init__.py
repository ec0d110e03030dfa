"""What a YAML file says of a mechanism, in exact numbers."""
