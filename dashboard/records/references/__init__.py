"""Looks up the names of the records that other records refer to."""
