"""The stages of a diagnosis: what was recorded, what is wrong altogether, what explains the rest, what is unseen."""
