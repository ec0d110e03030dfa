"""The Stewart-Gough hexapod: the compiled special case."""
