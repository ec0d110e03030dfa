"""A description made a tree of frames and rows of constraints; degrees of freedom; what bodies may weigh."""
