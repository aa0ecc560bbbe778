"""Shows the values of a record."""
