"""What was sent: one-time submissions and their outcome."""
