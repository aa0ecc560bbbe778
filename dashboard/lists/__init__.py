"""Lists: the address, its filters and sorting, the table."""
