"""Base parameters by rules on the joint graph: what vanishes, and what can be transferred from body to body."""
