"""Motions that show a machine's parameters well: what is asked of them, how they are searched."""
