"""What makes up a motion's strut forces, and what errors of the model do to them."""
