"""What every node is made of: life cycle, diagnostics, executor, transport."""
