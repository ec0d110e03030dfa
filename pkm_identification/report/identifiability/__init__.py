"""What can be known of a machine, as text and as documents."""
