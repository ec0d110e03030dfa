"""The ROS 2 nodes: each a thin shell around the core's stages, with a main() of its own."""
