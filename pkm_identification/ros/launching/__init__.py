"""What the launch files share: their arguments, and how a node is made of them."""
