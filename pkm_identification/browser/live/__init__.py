"""A page beside running nodes: what it shows, and the server that keeps it up to date."""
