"""`pkm watch`: a process beside the nodes that listens to what they publish anyway and shows it in a browser."""
