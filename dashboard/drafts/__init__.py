"""What was typed and not yet sent."""
