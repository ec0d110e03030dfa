"""Control inside the drives: cascades of loops at rates of their own."""
