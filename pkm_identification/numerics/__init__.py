"""What compiled kernels share: vectors, rotations, linear solvers."""
