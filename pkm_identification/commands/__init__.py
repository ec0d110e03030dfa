"""The subcommands of `pkm`: each adds its options to the parser and runs; results go to stdout, troubles are raised."""
