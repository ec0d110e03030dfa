"""The double pendulum of Oh 2003, chapter 3."""
