"""What RViz and others show: markers, joint states, transforms."""
