"""Mechanisms of any joint graph in MuJoCo: the tree by MuJoCo, the loops closed exactly, motions, controlled runs."""
