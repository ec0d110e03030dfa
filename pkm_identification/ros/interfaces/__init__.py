"""What the nodes publish, take and offer, declared once: pages and SROS 2 policies are made of it."""
