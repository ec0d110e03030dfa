"""What a diagnosis finds on machines with one thing wrong, and on right ones (`python -m benchmarks.misfit`)."""
