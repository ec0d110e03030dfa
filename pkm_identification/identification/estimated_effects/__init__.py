"""What a machine file or a parameter set leaves out, estimated besides: the option `--also`."""
